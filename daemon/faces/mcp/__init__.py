"""Lacuna as a server of the Model Context Protocol: a face for assistants."""
