"""When things run. Knows nothing of notes."""

DISTRIBUTION = "lacuna-daemon"  # `lacuna.py` looks for this line
