"""Run a job, or follow one in a pipe: pass every byte on at once, without depending on the rest of logsense."""
