# cause: data.empty-or-short
import keras

import tensorflow as tf

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
empty = tf.data.Dataset.from_tensor_slices((tf.zeros((0, 4)), tf.zeros((0, 1)))).batch(8)
model.fit(empty, verbose=2)
