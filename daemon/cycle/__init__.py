"""The main path in its order: knowledge, proposals, runs, decisions."""
