# cause: code.autograd-misuse, code.config
import keras

import tensorflow as tf

layer = keras.layers.Dense(2)
layer.build((None, 3))
with tf.GradientTape() as tape:
    loss = tf.constant(1.0)
grads = tape.gradient(loss, layer.trainable_variables)
keras.optimizers.SGD().apply_gradients(zip(grads, layer.trainable_variables))
