# cause: code.python-exception
# advice: recursion
def flatten(tree):
    return flatten([tree])


flatten(1)
