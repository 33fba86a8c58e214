# cause: storage.file-missing, network.hub-unreachable, network.auth, code.config
from transformers import AutoModel

AutoModel.from_pretrained("./checkpoints/llama/final")
