# cause: code.dtype-mismatch, code.python-exception, data.corrupt-sample, code.config, code.shape-mismatch
import tensorflow as tf

dataset = tf.data.Dataset.from_generator(
    lambda: (n / 0 for n in (3, 5)), output_signature=tf.TensorSpec((), tf.float32)
)
for item in dataset:
    print(item)
