# cause: code.config
# advice: labels
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

import torch

config = BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
data = [{"input_ids": torch.tensor([1, 2, 3])}] * 8
Trainer(
    BertForSequenceClassification(config), TrainingArguments("out", report_to=[], use_cpu=True), train_dataset=data
).train()
