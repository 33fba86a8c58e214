"""PyTorch: with_torch.py HOW."""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

how = sys.argv[1]


class Rows(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        row = {"features": torch.randn(12), "target": index % 3}
        return row["features"], row["label" if how == "worker" and index == 40 else "target"]


def main():
    model = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 3))
    if how == "checkpoint":
        other = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 3))
        torch.save(other.state_dict(), "model.pt")
        model.load_state_dict(torch.load("model.pt"))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e30 if how == "nan" else 0.01)
    for epoch in range(2):
        for step, (features, target) in enumerate(DataLoader(Rows(), batch_size=8, num_workers=2)):
            loss = nn.functional.cross_entropy(model(features), target)
            if how == "nan" and not torch.isfinite(loss):
                raise FloatingPointError(f"loss is {loss.item()} at step {step}")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)
        if how == "fine-retry":
            try:
                torch.load("best.pt")
            except FileNotFoundError as error:
                print(f"no earlier checkpoint, starting one: {error}")
                torch.save(model.state_dict(), "best.pt")
    print("finished")


if __name__ == "__main__":
    main()
