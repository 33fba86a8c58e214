"""Accelerate with two processes on the CPU: with_accelerate.py HOW."""

import os
import sys

import torch
from accelerate import Accelerator

how = sys.argv[1]
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(10, 2)
model, optimizer = accelerator.prepare(model, torch.optim.AdamW(model.parameters()))
for step in range(8):
    if step == 5 and how == "config" and accelerator.process_index == 1:
        print({"lr": 0.1}["warmup_steps"])
    if step == 5 and how == "file" and accelerator.process_index == 0:
        torch.load("data/tokens-00005.pt")
    if step == 5 and how == "exit" and accelerator.process_index == 1:
        os._exit(5)
    loss = model(torch.randn(4, 10)).pow(2).mean()
    accelerator.backward(loss)
    optimizer.step()
    optimizer.zero_grad()
    if how == "fine-gather":
        loss = accelerator.gather(loss.detach()).mean()
    accelerator.print(f"step {step} loss {loss.item():.4f}", flush=True)
accelerator.end_training()
accelerator.print("finished")
