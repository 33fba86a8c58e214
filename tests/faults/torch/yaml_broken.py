# cause: code.config, code.python-exception
import yaml

yaml.safe_load("model:\n  width: 64\n layers: [1, 2\n")
