# cause: none
import runpy

runpy.run_module("torch.utils.collect_env", run_name="__main__")
