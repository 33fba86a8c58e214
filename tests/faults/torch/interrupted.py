# cause: scheduler.cancelled
# kill: 2 after step 5
import time

for step in range(1000):
    print(f"step {step} loss 0.5", flush=True)
    time.sleep(0.05)
