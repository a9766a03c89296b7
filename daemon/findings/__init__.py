"""Findings on their way into the inbox, and the decisions that come back."""
