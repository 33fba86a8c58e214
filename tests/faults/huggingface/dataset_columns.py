# cause: data.corrupt-sample, code.config, code.python-exception
from datasets import load_dataset

with open("a.csv", "w") as f:
    f.write("text,label\nx,1\n")
with open("b.csv", "w") as f:
    f.write("sentence,label,id\nx,1,2\n")
load_dataset("csv", data_files=["a.csv", "b.csv"])
