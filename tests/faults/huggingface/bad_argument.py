# cause: code.config, env.package-versions
from transformers import TrainingArguments

TrainingArguments("out", evaluation_strategyy="steps")
