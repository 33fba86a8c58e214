# cause: code.unsafe-checkpoint, env.no-gpu-visible
# advice: map_location
import pickle

from torch.storage import _load_from_bytes  # noqa: F401

import torch

torch.serialization.location_tag = lambda storage: "cuda:0"
torch.save({"weight": torch.randn(3)}, "gpu.pt")
torch.load("gpu.pt")
print(pickle.HIGHEST_PROTOCOL)
