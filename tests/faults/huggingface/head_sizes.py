# cause: code.checkpoint-mismatch
# advice: ignore_mismatched_sizes
from transformers import BertConfig, BertForSequenceClassification

small = dict(vocab_size=100, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
BertForSequenceClassification(BertConfig(num_labels=5, **small)).save_pretrained("final")
BertForSequenceClassification.from_pretrained("final", num_labels=2)
