# cause: none
import tensorflow as tf


@tf.function(reduce_retracing=False)
def step(x):
    return tf.reduce_sum(x)


for n in range(1, 14):
    print("step", n, "loss", float(step(tf.ones((n,)))))
tf.saved_model.save(tf.Module(), "exported")
print("gpus:", tf.config.list_physical_devices("GPU"))
