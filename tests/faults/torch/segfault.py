# cause: code.native-crash
import ctypes
import faulthandler

faulthandler.enable()
for step in range(3):
    print(f"step {step} loss 0.{9 - step}")
ctypes.string_at(0)
