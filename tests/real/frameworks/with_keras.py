"""Keras on JAX: with_keras.py HOW."""

import sys

import keras
import numpy as np

how = sys.argv[1]
if how == "no-model":
    keras.saving.load_model("models/final.keras")
model = keras.Sequential([keras.layers.Input((12,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(1e30 if how == "nan" else 0.01), "mse", metrics=["mae"])
callbacks = [keras.callbacks.TerminateOnNaN()] if how == "nan" else []
if how == "fine-callbacks":
    callbacks = [keras.callbacks.ReduceLROnPlateau(patience=1), keras.callbacks.ModelCheckpoint("best.keras")]
features = np.random.rand(64, 20 if how == "shape" else 12)
history = model.fit(features, np.random.rand(64, 1), epochs=3, validation_split=0.2, callbacks=callbacks)
if how == "nan":
    sys.exit(f"stopped: loss {history.history['loss'][-1]}")
print("finished")
