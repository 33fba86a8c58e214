# cause: storage.corrupt-file
# advice: lfs
import torch

with open("model.pt", "w") as f:
    f.write(
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 132735\n"
    )
torch.load("model.pt", weights_only=False)
