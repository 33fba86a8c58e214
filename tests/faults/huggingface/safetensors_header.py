# cause: storage.corrupt-file
from safetensors.torch import load_file

with open("model.safetensors", "w") as f:
    f.write("version https://git-lfs.github.com/spec/v1\noid sha256:0f\nsize 99\n")
load_file("model.safetensors")
