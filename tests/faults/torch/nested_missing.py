# cause: storage.file-missing
import os

for name in sorted(os.listdir("data/imagenet/val")):
    print(name)
