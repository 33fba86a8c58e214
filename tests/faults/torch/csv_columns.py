# cause: data.corrupt-sample, storage.corrupt-file, code.python-exception
import pandas as pd

with open("train.csv", "w") as f:
    f.write("text,label\na,1\nb,2,3,4\n")
pd.read_csv("train.csv")
