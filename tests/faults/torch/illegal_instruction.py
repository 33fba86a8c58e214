# cause: code.native-crash, env.abi-mismatch, env.package-versions, hardware.host-hardware
import os
import signal

print("epoch 0 step 3 loss 1.9", flush=True)
os.kill(os.getpid(), signal.SIGILL)
