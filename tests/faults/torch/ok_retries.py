# cause: none
import logging
import time

import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger("trainer")
for step in range(30):
    for attempt in range(3):
        try:
            if step in (4, 17) and attempt < 2:
                raise ConnectionResetError(104, "Connection reset by peer")
            if step == 9 and attempt == 0:
                torch.load("cache/step9.pt")
            break
        except (OSError, ConnectionError):
            log.exception("step %d failed, attempt %d of 3", step, attempt + 1)
            time.sleep(0.01)
    log.info("step %d/30 loss %.4f", step + 1, 1 / (step + 1))
log.info("training completed in 0:00:01, best loss 0.0333")
