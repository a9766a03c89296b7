"""The outside world: network, files to read, models, secrets."""
