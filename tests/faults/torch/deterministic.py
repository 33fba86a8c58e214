# cause: code.determinism, env.no-gpu-visible
import torch

torch.use_deterministic_algorithms(True)
x = torch.zeros(4, requires_grad=True)
torch.nn.functional.max_unpool1d(torch.randn(1, 1, 2), torch.tensor([[[0, 2]]]), 2)
torch.empty(3).put_(torch.tensor([0]), torch.tensor([1.0]), accumulate=False)
