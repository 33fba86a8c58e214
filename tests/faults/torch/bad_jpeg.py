# cause: data.corrupt-sample
import os

from torchvision.datasets import ImageFolder

os.makedirs("data/train/cats")
with open("data/train/cats/0001.jpg", "wb") as f:
    f.write(b"\xff\xd8\xff\xe0 not an image")
print(ImageFolder("data/train")[0])
