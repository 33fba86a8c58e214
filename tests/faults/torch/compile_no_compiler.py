# cause: env.compiler-failure, env.kernel-compile
# advice: gcc, g++, build-essential
# env: PATH=/nowhere CXX=
import torch


@torch.compile
def step(x):
    return (x.sin() + x.cos()).sum()


print(step(torch.randn(100)))
