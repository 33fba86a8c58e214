# cause: code.python-exception, data.corrupt-sample, storage.corrupt-file
with open("corpus.txt", "wb") as f:
    f.write(b"caf\xe9\n")
print(open("corpus.txt", encoding="utf-8").read())
