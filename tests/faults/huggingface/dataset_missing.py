# cause: storage.file-missing
from datasets import load_dataset

load_dataset("json", data_files="data/train.jsonl")
