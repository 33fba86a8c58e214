# cause: storage.disk-full
for step in range(2000):
    print(f"step {step} loss 0.5", file=open("/dev/full", "a"), flush=True)
