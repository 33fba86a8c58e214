# cause: code.config
import keras

keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)]).compile("adamm", "mse")
