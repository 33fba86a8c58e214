# cause: scheduler.cancelled, scheduler.preempted
# ranks: 2
# kill: 15 after step 3
import time

for step in range(300):
    print(f"step {step} loss 0.5", flush=True)
    time.sleep(0.2)
