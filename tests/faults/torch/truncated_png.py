# cause: data.corrupt-sample
# advice: LOAD_TRUNCATED_IMAGES, skip, remove, delete
import os

import numpy as np
from PIL import Image
from torchvision.datasets import ImageFolder

os.makedirs("data/train/cats")
Image.fromarray(np.random.randint(0, 255, (200, 200, 3), dtype=np.uint8)).save("data/train/cats/1.png")
os.truncate("data/train/cats/1.png", 60_000)
print(ImageFolder("data/train")[0])
