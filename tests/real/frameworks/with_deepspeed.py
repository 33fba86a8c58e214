"""DeepSpeed's ZeRO with two processes on the CPU: with_deepspeed.py HOW."""

import sys

import deepspeed
import torch

how = sys.argv[1]
deepspeed.init_distributed("gloo")
rank = torch.distributed.get_rank()
config = {
    "train_micro_batch_size_per_gpu": 4,
    "optimizer": {"type": "AdamW", "params": {"lr": 0.001, "torch_adam": True}},
    "zero_optimization": {"stage": 2},
}
if how == "batch":
    config["train_batch_size"] = 12
model = torch.nn.Linear(10, 2)
engine, *_ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=config)
for step in range(8):
    if step == 5 and how == "raise" and rank == 1:
        print({"lr": 0.1}["warmup_steps"])
    if step == 5 and how == "file" and rank == 0:
        torch.load("data/tokens-00005.pt")
    loss = engine(torch.randn(4, 10)).pow(2).mean()
    engine.backward(loss)
    engine.step()
    if rank == 0:
        print(f"step {step} loss {loss.item():.4f}", flush=True)
    if step == 4 and how == "fine-checkpoint":
        engine.save_checkpoint("checkpoints", tag=f"step{step}")
        engine.load_checkpoint("checkpoints")
if rank == 0:
    print("finished")
torch.distributed.destroy_process_group()
