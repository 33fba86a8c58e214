# cause: data.corrupt-sample, code.config
import tensorflow as tf

example = tf.train.Example(
    features=tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1]))})
)
tf.io.parse_single_example(example.SerializeToString(), {"image": tf.io.FixedLenFeature([], tf.string)})
