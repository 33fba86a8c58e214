# cause: code.python-exception, code.config
width, heads = 100, 12
assert width % heads == 0, f"width {width} is not divisible by heads {heads}"
