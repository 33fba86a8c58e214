# cause: code.index-out-of-range, code.shape-mismatch
# advice: max_length, truncation, max_position_embeddings
from transformers import BertConfig, BertModel

import torch

config = BertConfig(
    vocab_size=100,
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=32,
    max_position_embeddings=64,
)
BertModel(config)(torch.ones(2, 80, dtype=torch.long))
