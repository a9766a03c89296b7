"""Schedules and conditions: when jobs run. Independent of notes."""

DISTRIBUTION = "lacuna-daemon"  # `lacuna.py` looks for this line
