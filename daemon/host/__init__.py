"""The run loop of one vault's daemon."""
