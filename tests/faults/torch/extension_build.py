# cause: env.compiler-failure
from torch.utils.cpp_extension import load_inline

load_inline("ops", "#include <torch/extension.h>\n#include <missing/header.h>\nint f() { return 1; }", functions=["f"])
