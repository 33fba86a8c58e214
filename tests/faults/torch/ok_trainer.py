# cause: none
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
from transformers.utils import logging

import torch

logging.set_verbosity_info()
config = BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
data = [{"input_ids": torch.randint(0, 99, (8,)), "labels": torch.tensor(i % 2)} for i in range(64)]
arguments = TrainingArguments(
    "out",
    report_to=[],
    use_cpu=True,
    num_train_epochs=2,
    logging_steps=2,
    eval_strategy="epoch",
    save_strategy="epoch",
    load_best_model_at_end=True,
    max_grad_norm=0.5,
    log_level="debug",
)
model = BertForSequenceClassification(config)
model.save_pretrained("start")
model = BertForSequenceClassification.from_pretrained("start", num_labels=2)
Trainer(model, arguments, train_dataset=data, eval_dataset=data[:16]).train()
