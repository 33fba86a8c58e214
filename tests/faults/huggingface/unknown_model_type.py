# cause: env.package-versions
# advice: transformers
import os

from transformers import AutoModel

os.makedirs("final")
with open("final/config.json", "w") as f:
    f.write('{"model_type": "mamba9"}')
AutoModel.from_pretrained("final")
