# cause: code.shape-mismatch, data.uneven-batch
import torch

sequences = [torch.zeros(12), torch.zeros(9), torch.zeros(14)]
batch = torch.stack(sequences)
