# cause: numerics.non-finite
import tensorflow as tf

tf.debugging.enable_check_numerics()
x = tf.constant([0.0, 1.0])
loss = tf.reduce_sum(tf.math.log(x - 1.0))
