# cause: storage.corrupt-file, data.corrupt-sample
import os

import tensorflow as tf

with tf.io.TFRecordWriter("train.tfrecord") as writer:
    for i in range(20):
        writer.write(b"x" * 1000)
os.truncate("train.tfrecord", 9_500)
for record in tf.data.TFRecordDataset("train.tfrecord"):
    pass
