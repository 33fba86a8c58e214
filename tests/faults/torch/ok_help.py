# cause: none
import runpy
import sys

sys.argv = ["torchrun", "--help"]
runpy.run_module("torch.distributed.run", run_name="__main__")
