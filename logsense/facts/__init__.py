"""What is known of a run: stated in its log, computed, looked up, or read from the machine."""
