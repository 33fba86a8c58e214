# cause: none
import torch

checked = 0
for build in (
    lambda: torch.zeros(2) + torch.zeros(3),
    lambda: torch.zeros(2).view(5),
    lambda: torch.nn.Linear(2, 3)(torch.zeros(1, 4)),
):
    try:
        build()
    except RuntimeError as error:
        checked += 1
        print(f"ok {checked} - expected error: {error}")
for step in range(5):
    print(f"step {step} loss {1 / (step + 1):.4f}")
print("Training completed successfully")
