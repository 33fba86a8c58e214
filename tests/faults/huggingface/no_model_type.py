# cause: code.config, env.package-versions, storage.corrupt-file, storage.file-missing
import os

from transformers import AutoModel

os.makedirs("final")
with open("final/config.json", "w") as f:
    f.write('{"hidden_size": 8}')
AutoModel.from_pretrained("final")
