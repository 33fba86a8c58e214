# cause: env.no-gpu-visible, env.cpu-only-build, env.device-ordinal, env.driver-not-loaded
import tensorflow as tf

with tf.device("/GPU:1"):
    tf.config.set_soft_device_placement(False)
    tf.zeros((2, 2)) + 1.0
