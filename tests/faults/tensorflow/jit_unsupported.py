# cause: env.kernel-compile, code.unsupported-op, code.compile-limits
import tensorflow as tf


@tf.function(jit_compile=True)
def step(x):
    return tf.strings.length(tf.strings.as_string(x))


step(tf.constant([1.0, 2.0]))
