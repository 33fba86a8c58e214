# cause: code.value-domain, numerics.non-finite
import torch

torch.distributions.Categorical(logits=torch.tensor([[float("nan"), 1.0]]))
