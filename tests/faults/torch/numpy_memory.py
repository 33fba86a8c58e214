# cause: host-memory.allocation-failed
# limits: as=9000000000
import numpy as np

features = np.zeros((2_000_000, 4096), dtype=np.float64)
