# cause: code.python-exception, code.config
import pandas as pd

pd.DataFrame({"text": ["a"], "target": [1]})["label"]
