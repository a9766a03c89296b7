"""Everything outside the process: network, files to read, models, secrets."""
