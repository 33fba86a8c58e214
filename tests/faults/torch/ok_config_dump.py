# cause: none
import json

from transformers import BertConfig, TrainingArguments

import torch

print(TrainingArguments("out", report_to=[], use_cpu=True))
print(BertConfig())
print(
    json.dumps(
        {"fail_on_error": True, "oom_retries": 3, "on_nan": "abort", "timeout": 1800, "error_log": "logs/error.log"},
        indent=2,
    )
)
print(torch.__config__.show())
print(torch.optim.SGD([torch.zeros(1)], lr=0.1))
