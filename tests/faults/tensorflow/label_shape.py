# cause: code.shape-mismatch
import numpy as np
import keras

model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(10, activation="softmax")])
model.compile("sgd", "categorical_crossentropy")
model.fit(np.zeros((32, 20)), np.zeros((32,)), verbose=2)
