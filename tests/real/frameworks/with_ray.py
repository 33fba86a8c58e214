"""Ray Train with two workers on the CPU: with_ray.py HOW."""

import os
import signal
import sys
import tempfile
from pathlib import Path

import ray
import torch
from ray import train
from ray.train import Checkpoint, FailureConfig, RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer, prepare_model

how = sys.argv[1]


def train_loop(config):
    rank = train.get_context().get_world_rank()
    model = prepare_model(torch.nn.Linear(10, 2))
    optimizer = torch.optim.AdamW(model.parameters())
    previous = train.get_checkpoint()
    for step in range(8):
        if step == 5 and how == "raise" and rank == 1:
            print({"lr": 0.1}["warmup_steps"])
        if step == 5 and how == "kill" and rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if step == 5 and how == "file" and rank == 0:
            torch.load("data/tokens-00005.pt")
        if step == 5 and how == "fine-retry" and rank == 1 and previous is None:
            raise ConnectionError("the token server is restarting")
        loss = model(torch.randn(4, 10)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            torch.save(model.state_dict(), Path(folder, "model.pt"))
            train.report({"loss": loss.item()}, checkpoint=Checkpoint.from_directory(folder) if rank == 0 else None)


ray.init("local", num_cpus=3)
os.environ["RAY_ADDRESS"] = ray.get_runtime_context().gcs_address  # there may be other clusters on this machine
trainer = TorchTrainer(
    train_loop,
    scaling_config=ScalingConfig(num_workers=2, resources_per_worker={"CPU": 64 if how == "resources" else 1}),
    run_config=RunConfig(
        name=how,
        storage_path=str(Path.cwd() / "results"),
        failure_config=FailureConfig(max_failures=1 if how == "fine-retry" else 0),
    ),
)
result = trainer.fit()
print(f"finished, loss {result.metrics['loss']:.4f}")
