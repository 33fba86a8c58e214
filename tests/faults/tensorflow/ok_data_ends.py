# cause: none
import keras

import tensorflow as tf

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
data = tf.data.Dataset.from_tensor_slices((tf.zeros((40, 4)), tf.zeros((40, 1)))).batch(8)
model.fit(data, epochs=2, steps_per_epoch=8, verbose=2)
