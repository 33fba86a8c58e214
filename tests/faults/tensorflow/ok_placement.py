# cause: none
import tensorflow as tf

tf.debugging.set_log_device_placement(True)
with tf.device("/GPU:0"):
    a = tf.ones((2, 3))
print(tf.matmul(a, tf.ones((3, 2))))
