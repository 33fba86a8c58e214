# cause: code.config
# advice: pad_token_id
from transformers import GPT2Config, GPT2ForSequenceClassification

import torch

model = GPT2ForSequenceClassification(GPT2Config(vocab_size=50, n_embd=16, n_layer=1, n_head=2))
model(torch.ones(4, 6, dtype=torch.long))
