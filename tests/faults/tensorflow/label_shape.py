# cause: code.shape-mismatch
import keras
import numpy as np

model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(10, activation="softmax")])
model.compile("sgd", "categorical_crossentropy")
model.fit(np.zeros((32, 20)), np.zeros((32,)), verbose=2)
