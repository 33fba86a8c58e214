"""Many jobs at once: finds them, reads what is new, keeps the answers, counts them up."""
