# cause: data.uneven-batch, code.config, code.shape-mismatch
# advice: padding
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

base = Tokenizer(models.WordLevel({"a": 0, "b": 1}, unk_token="a"))
base.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=base)
tokenizer(["a b a", "b"], return_tensors="pt")
