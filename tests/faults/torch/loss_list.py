# cause: code.python-exception, code.autograd-misuse
loss = None
loss.backward()
