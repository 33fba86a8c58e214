# cause: network.hub-unreachable
# env: HF_ENDPOINT=http://127.0.0.1:9 HTTP_PROXY= HTTPS_PROXY= http_proxy= https_proxy=
from transformers import AutoTokenizer

AutoTokenizer.from_pretrained("gpt2")
