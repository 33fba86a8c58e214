"""Writes down what a job prints and what the machine does meanwhile, so that it outlives the job, us, and a reboot."""
