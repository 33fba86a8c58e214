# cause: data.corrupt-sample
import tensorflow as tf

dataset = tf.data.Dataset.from_tensor_slices([b"not an image"]).map(tf.io.decode_jpeg)
for image in dataset:
    print(image.shape)
