# cause: code.config
from torch import nn

nn.Dropout(1.5)
