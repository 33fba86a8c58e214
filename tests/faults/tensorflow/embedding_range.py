# cause: code.index-out-of-range
import keras
import numpy as np

model = keras.Sequential(
    [keras.Input((6,), dtype="int32"), keras.layers.Embedding(100, 4), keras.layers.Flatten(), keras.layers.Dense(1)]
)
model.compile("sgd", "mse", run_eagerly=True)
model.fit(np.full((8, 6), 200), np.zeros((8, 1)), verbose=2)
