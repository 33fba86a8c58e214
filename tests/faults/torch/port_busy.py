# cause: distributed.port-in-use
# advice: MASTER_PORT, port
import os
import socket

import torch.distributed as dist

taken = socket.socket()
taken.bind(("127.0.0.1", 29531))
taken.listen()
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29531", RANK="0", WORLD_SIZE="2")
dist.init_process_group("gloo")
