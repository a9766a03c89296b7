"""Faces besides the command line: each asks use cases, and knows nothing else of the inside."""
