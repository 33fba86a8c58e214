# cause: code.config
# advice: eval_strategy, save_strategy
from transformers import TrainingArguments

TrainingArguments("out", load_best_model_at_end=True, eval_strategy="epoch", save_strategy="steps")
