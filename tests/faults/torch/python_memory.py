# cause: host-memory.allocation-failed
# limits: as=1500000000
rows = []
for i in range(100_000):
    rows.append(bytearray(10_000_000))
