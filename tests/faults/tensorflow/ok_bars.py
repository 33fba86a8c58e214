# cause: none
import numpy as np
import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.summary()
model.compile("sgd", "mse")
model.fit(
    np.random.rand(256, 4),
    np.random.rand(256, 1),
    epochs=4,
    callbacks=[keras.callbacks.ModelCheckpoint("best.keras", verbose=1)],
)
