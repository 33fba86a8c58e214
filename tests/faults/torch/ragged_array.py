# cause: code.shape-mismatch, data.uneven-batch
import numpy as np

np.array([[1, 2, 3], [4, 5]], dtype=float)
