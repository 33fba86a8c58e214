"""The adapters in their frameworks, where these are installed."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest

from logsense.callbacks import Monitor

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]


def test_a_plain_loop_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e6)
    with Monitor(explain=False) as monitor:
        for _ in range(60):
            data = torch.randn(8, 4)
            loss = (model(data) - data.sum(1, keepdim=True)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            monitor.step(loss)
    assert [one.kind for one in monitor.alerts] == ["loss"]
    assert monitor.last_step == 60


def _train(folder: Path, monitor: Monitor, *, rate: float, missing: bool = False) -> None:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

    from logsense.callbacks import TransformersCallback

    class Data(torch.utils.data.Dataset):  # type: ignore[misc]
        def __len__(self) -> int:
            return 64

        def __getitem__(self, number: int) -> dict[str, Any]:
            if missing and number == 40:
                raise FileNotFoundError(2, "No such file or directory", "/data/shard-40.bin")
            return {"input_ids": torch.arange(8), "labels": torch.arange(8)}

    config = GPT2Config(n_layer=1, n_head=2, n_embd=8, vocab_size=16, n_positions=8)
    arguments = TrainingArguments(
        str(folder), per_device_train_batch_size=4, max_steps=12, learning_rate=rate, logging_steps=1, report_to=[],
        use_cpu=True, max_grad_norm=0.0, optim="sgd", disable_tqdm=True, save_strategy="no", eval_strategy="steps",
        eval_steps=5,
    )  # fmt: skip
    Trainer(
        GPT2LMHeadModel(config), arguments, train_dataset=Data(), eval_dataset=Data(),
        callbacks=[TransformersCallback(monitor)],
    ).train()  # fmt: skip


def test_transformers(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    monitor = Monitor(explain=False)
    _train(tmp_path, monitor, rate=1e-3)
    assert (monitor.alerts, monitor.last_step) == ([], 12)
    _train(tmp_path, monitor, rate=1e12)
    # The Trainer shows the loss as 0 then; the gradients tell.
    assert [one.kind for one in monitor.alerts][:1] == ["gradient"]
    with pytest.raises(FileNotFoundError):
        _train(tmp_path, monitor, rate=1e-3, missing=True)
    monitor.close()


@pytest.mark.parametrize("package", ["lightning.pytorch", "pytorch_lightning"])
def test_lightning(package: str) -> None:
    torch = pytest.importorskip("torch")
    lightning: Any = pytest.importorskip(package)
    other = {"lightning.pytorch": "pytorch_lightning", "pytorch_lightning": "lightning.pytorch"}[package]
    if other in sys.modules:
        pytest.skip("the other package was used in this process")
    from logsense.callbacks import LightningCallback

    class Model(lightning.LightningModule):  # type: ignore[misc]
        def __init__(self, rate: float, breaks: bool = False) -> None:
            super().__init__()
            self.layer, self.rate, self.breaks = torch.nn.Linear(4, 1), rate, breaks

        def training_step(self, batch: Any, number: int) -> Any:
            if self.breaks and number == 20:
                raise FileNotFoundError(2, "No such file or directory", "/data/x.bin")
            return (self.layer(batch[0]) - 1).pow(2).mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=self.rate)

    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(200, 4)), batch_size=4)
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "accelerator": "cpu"}

    def fit(callback: Any, model: Any) -> None:
        lightning.Trainer(max_epochs=1, callbacks=[callback], enable_model_summary=False, **quiet).fit(model, data)

    callback = LightningCallback(explain=False)
    fit(callback, Model(0.01))
    assert (callback.monitor.alerts, callback.monitor.last_step) == ([], 50)
    fit(callback, Model(1e9))
    assert [one.kind for one in callback.monitor.alerts] == ["loss"]
    with pytest.raises(FileNotFoundError) as caught:
        fit(callback, Model(0.01, breaks=True))
    import logsense

    progress = logsense.explain(caught.value).report.progress
    assert progress
    assert progress.step == 20


def test_accelerate() -> None:
    torch = pytest.importorskip("torch")
    accelerate = pytest.importorskip("accelerate")
    from logsense.callbacks import AccelerateTracker

    tracker = AccelerateTracker(explain=False)
    accelerator = accelerate.Accelerator(cpu=True, log_with=tracker)
    accelerator.init_trackers("project", config={"lr": 1e6})
    for step in range(5):
        loss = torch.tensor(math.nan if step == 3 else 1.0)
        accelerator.log({"train/loss": loss.item(), "train/grad_norm": 1.0, "lr": 0.1}, step=step)
    assert accelerator.get_tracker("logsense", unwrap=True) is tracker.monitor
    assert [one.says[:26] for one in tracker.monitor.alerts] == ["The loss is NaN at step 3;"]
    accelerator.end_training()
