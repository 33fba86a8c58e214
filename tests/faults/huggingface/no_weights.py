# cause: storage.file-missing, code.config
import os

from transformers import AutoModel, BertConfig

os.makedirs("final")
BertConfig().save_pretrained("final")
AutoModel.from_pretrained("final")
