"""A real Slurm with two nodes on one machine: `setup.sh`, then `python -m tests.real.slurm`."""
