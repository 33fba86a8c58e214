# cause: storage.file-missing
import tensorflow as tf

for record in tf.data.TFRecordDataset("data/train-00000.tfrecord"):
    pass
