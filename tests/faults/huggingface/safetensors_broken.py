# cause: storage.corrupt-file
import os

from transformers import AutoModel, BertConfig, BertModel

config = BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
BertModel(config).save_pretrained("final")
os.truncate("final/model.safetensors", 20_000)
AutoModel.from_pretrained("final")
