# cause: data.uneven-batch
import tensorflow as tf

dataset = tf.data.Dataset.from_generator(
    lambda: (tf.zeros((n,)) for n in (3, 5)), output_signature=tf.TensorSpec((None,))
)
for batch in dataset.batch(2):
    print(batch)
