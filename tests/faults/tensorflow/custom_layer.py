# cause: code.config, code.checkpoint-mismatch
# advice: custom_objects, register_keras_serializable
import keras


class Gate(keras.layers.Layer):
    def call(self, x):
        return x * 2


keras.Sequential([keras.Input((4,)), Gate()]).save("best.keras")
keras.models.load_model("best.keras", custom_objects={})
