"""Transformers' Trainer on a small GPT-2: with_transformers.py HOW."""

import sys

import torch
from transformers import GPT2Config, GPT2ForSequenceClassification, GPT2LMHeadModel, Trainer, TrainingArguments

how = sys.argv[1]
config = GPT2Config(vocab_size=64, n_positions=16, n_embd=16, n_layer=1, n_head=2, num_labels=2, pad_token_id=0)
if how == "no-folder":
    GPT2LMHeadModel.from_pretrained("./checkpoints/gpt2-tuned")
if how == "checkpoint":
    GPT2LMHeadModel(config).save_pretrained("small")
    config.n_embd = 32
    GPT2LMHeadModel.from_pretrained("small", config=config)
if how == "fine-generate":
    model = GPT2LMHeadModel(config).eval()
    print(model.generate(torch.ones(1, 4, dtype=torch.long), max_new_tokens=6, do_sample=True, pad_token_id=0))
    sys.exit()
length = 40 if how == "length" else 12
label = 5 if how == "label" else 1
rows = [{"input_ids": torch.randint(1, 64, (length,)), "labels": label} for _ in range(32)]
arguments = TrainingArguments(
    "out", per_device_train_batch_size=4, max_steps=6, logging_steps=1, use_cpu=True, report_to=[], save_steps=3
)
Trainer(GPT2ForSequenceClassification(config), arguments, train_dataset=rows).train()
print("finished")
