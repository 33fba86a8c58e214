# cause: storage.file-missing
import keras

keras.models.load_model("best.keras")
