"""What sets a run off, besides the clock."""
