# cause: env.no-gpu-visible, env.driver-not-loaded, env.cpu-only-build
import lightning as L

L.Trainer(accelerator="gpu", devices=2)
