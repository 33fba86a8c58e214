# cause: code.compile-limits, code.config
import tensorflow as tf


@tf.function
def step(x):
    return float(x) + x.numpy()


step(tf.constant(1.0))
