# cause: env.cuda-library-missing, env.package-incomplete, env.library-path-conflict
import ctypes

ctypes.CDLL("libcusolver.so.9.9")
