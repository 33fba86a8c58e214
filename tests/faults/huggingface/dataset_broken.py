# cause: data.corrupt-sample, storage.corrupt-file
from datasets import load_dataset

with open("train.jsonl", "w") as f:
    f.write('{"text": "a"}\n{"text": {"b": [}\n' * 5)
load_dataset("json", data_files="train.jsonl")
