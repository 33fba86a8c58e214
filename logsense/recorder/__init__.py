"""Record a job's output and the machine's state on disk, where they outlive the job, this process, and a reboot."""
