# cause: code.shape-mismatch
import tensorflow as tf

tf.matmul(tf.zeros((4, 5)), tf.zeros((6, 3)))
