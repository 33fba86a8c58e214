# cause: numerics.non-finite
import tensorflow as tf

tf.debugging.check_numerics(tf.constant([1.0, float("nan")]), "gradients of dense_1")
