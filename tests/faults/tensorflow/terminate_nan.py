# cause: numerics.non-finite
import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(1e6), "mse")
x, y = np.random.rand(640, 4) * 100, np.random.rand(640, 1)
history = model.fit(x, y, epochs=3, callbacks=[keras.callbacks.TerminateOnNaN()], verbose=2)
