"""Watch a run from within its Python program: hooks, blocks, logging, callbacks, notebooks."""
