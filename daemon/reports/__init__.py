"""Reports: what a run, or a part of the vault, says on a subject."""
