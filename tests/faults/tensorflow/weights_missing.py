# cause: storage.file-missing
import keras

keras.Sequential([keras.Input((4,)), keras.layers.Dense(8)]).load_weights("best.weights.h5")
