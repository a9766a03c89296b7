"""How fast and how small: each number beside its peer or its limit, measured in one run."""
