# cause: none
# env: TF_CPP_MIN_LOG_LEVEL=0 TF_CPP_MAX_VLOG_LEVEL=1
import keras
import numpy as np

model = keras.Sequential([keras.layers.Dense(8, input_shape=(4,)), keras.layers.Dense(1)])
model.compile("adam", "mse", metrics=["mae"])
x, y = np.random.rand(512, 4), np.random.rand(512, 1)
model.fit(
    x,
    y,
    epochs=12,
    verbose=2,
    validation_split=0.2,
    callbacks=[
        keras.callbacks.EarlyStopping(patience=2, min_delta=1, verbose=1),
        keras.callbacks.ReduceLROnPlateau(patience=1, verbose=1, min_delta=1),
    ],
)
model.save("model.h5")
