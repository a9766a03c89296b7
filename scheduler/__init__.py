"""When things run. Knows nothing of notes."""
