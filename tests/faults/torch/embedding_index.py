# cause: code.index-out-of-range
# advice: num_embeddings, vocab, resize_token_embeddings
import torch
from torch import nn

embedding = nn.Embedding(1000, 32)
tokens = torch.tensor([[3, 17, 1000, 4]])
embedding(tokens)
