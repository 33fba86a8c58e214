# cause: code.index-out-of-range
import keras
import numpy as np

model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(5, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
model.fit(np.zeros((32, 20)), np.full((32,), 7), verbose=2)
