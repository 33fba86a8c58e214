# cause: network.hub-unreachable
# advice: HF_HUB_OFFLINE, download
# env: HF_HUB_OFFLINE=1
from transformers import AutoModel

AutoModel.from_pretrained("bert-base-uncased")
