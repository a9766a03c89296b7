"""The one path, in its order: what is known, what is proposed, what is run, what was decided."""
