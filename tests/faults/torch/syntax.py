# cause: code.python-exception
exec(compile("def train(:\n    pass\n", "model.py", "exec"))
