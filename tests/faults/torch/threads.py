# cause: host-limits.processes, host-memory.allocation-failed
# limits: as=1000000000
import threading
import time

for i in range(10_000):
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
