"""Keeping this very process from writing anywhere but into the inbox and its state."""
