# cause: data.empty-or-short, storage.file-missing
import os

from torchvision.datasets import ImageFolder

os.makedirs("data/train/cats")
ImageFolder("data/train")
