# cause: code.shape-mismatch
import keras
import numpy as np

model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.zeros((32, 18)), np.zeros((32, 1)), verbose=2)
