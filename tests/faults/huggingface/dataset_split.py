# cause: code.config
from datasets import load_dataset

with open("a.csv", "w") as f:
    f.write("text,label\nx,1\n")
load_dataset("csv", data_files="a.csv", split="validation")
