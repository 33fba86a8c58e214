# cause: code.value-domain, numerics.non-finite
import torch

probabilities = torch.softmax(torch.tensor([float("nan"), 1.0, 2.0]), 0)
torch.multinomial(probabilities, 1)
