# cause: code.config, code.python-exception
config = {"model": {"width": 64}, "optimizer": {}}
print("building optimizer")
lr = config["optimizer"]["lr"]
