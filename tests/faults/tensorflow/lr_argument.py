# cause: env.package-versions, code.config
# advice: learning_rate
import keras

keras.optimizers.Adam(lr=0.1)
