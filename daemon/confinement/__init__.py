"""Restrict this process so that it can write only into the inbox and its state."""
