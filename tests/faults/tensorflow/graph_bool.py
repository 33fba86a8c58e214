# cause: code.compile-limits
import tensorflow as tf


@tf.function(autograph=False)
def step(x):
    if x > 0:
        return x
    return -x


step(tf.constant(1.0))
