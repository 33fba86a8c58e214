# cause: code.dtype-mismatch
import tensorflow as tf

tf.constant([1.0, 2.0]) + tf.constant([1, 2])
