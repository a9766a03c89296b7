"""Ingest a document: what it is, whether the vault has it, and what is worth keeping of it."""
