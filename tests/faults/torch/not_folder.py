# cause: storage.file-missing, storage.permission, code.config
import os

open("out", "w").close()
os.makedirs("out/checkpoints")
