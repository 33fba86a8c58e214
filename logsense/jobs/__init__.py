"""Runs a job, or stands behind one in a pipe: passes every byte on at once, and needs nothing of logsense for it."""
