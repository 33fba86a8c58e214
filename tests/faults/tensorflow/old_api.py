# cause: env.package-versions
import tensorflow as tf

session = tf.Session()
