"""Lacuna: finds the gaps in a vault, and fills them with short, sourced notes."""

DISTRIBUTION = "lacuna-daemon"  # `lacuna.py` looks for this line
