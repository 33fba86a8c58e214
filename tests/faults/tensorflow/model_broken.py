# cause: storage.corrupt-file
import keras

with open("best.h5", "wb") as f:
    f.write(b"\x89HDF\r\n\x1a\n" + b"\0" * 200)
keras.models.load_model("best.h5")
