# cause: scheduler.cancelled
# kill: 15 after Epoch 2
import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.zeros((64000, 4)), np.zeros((64000, 1)), epochs=50, verbose=2)
