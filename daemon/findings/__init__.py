"""Findings on their way into the inbox, and the user's decisions on them."""
