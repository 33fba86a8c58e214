# cause: storage.corrupt-file, data.corrupt-sample, code.python-exception, code.config
import json

with open("train.jsonl", "w") as f:
    f.write('{"text": "a"}\n{"text": "b"\n')
for line in open("train.jsonl"):
    json.loads(line)
