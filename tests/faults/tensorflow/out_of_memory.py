# cause: host-memory.allocation-failed
import tensorflow as tf

noise = tf.random.normal((1 << 21, 1 << 21))
