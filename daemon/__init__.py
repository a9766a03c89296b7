"""Lacuna: finds what a vault does not know yet, and fills it with short, sourced notes."""

DISTRIBUTION = "lacuna-daemon"  # `lacuna.py` looks for this line
