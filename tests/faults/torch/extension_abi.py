# cause: env.abi-mismatch
import subprocess

with open("fast_ops.c", "w") as f:
    f.write(
        "extern int _ZN3c105ErrorC2ENS_14SourceLocationESs(void);\nint PyInit_fast_ops(void) { return _ZN3c105ErrorC2ENS_14SourceLocationESs(); }\n"
    )
subprocess.run(["gcc", "-shared", "-fPIC", "-Wl,-z,now", "-o", "fast_ops.so", "fast_ops.c"], check=True)
import fast_ops  # noqa: E402, F401

import torch  # noqa: E402, F401
