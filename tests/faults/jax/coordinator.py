# cause: distributed.rendezvous, distributed.network
import jax

jax.distributed.initialize("127.0.0.1:29551", num_processes=2, process_id=1, initialization_timeout=5)
