# cause: code.config, storage.corrupt-file
import keras

keras.Sequential([keras.Input((4,)), keras.layers.Dense(8)]).save("saved/model")
