# cause: code.checkpoint-mismatch
import keras

keras.Sequential([keras.Input((4,)), keras.layers.Dense(8)]).save_weights("model.weights.h5")
keras.Sequential([keras.Input((4,)), keras.layers.Dense(5)]).load_weights("model.weights.h5")
