# cause: none
import keras
import numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8), keras.layers.Dense(1)])
model.summary()
model.compile("sgd", "mse")
model.fit(
    np.random.rand(256, 4),
    np.random.rand(256, 1),
    epochs=4,
    callbacks=[keras.callbacks.ModelCheckpoint("best.keras", verbose=1)],
)
