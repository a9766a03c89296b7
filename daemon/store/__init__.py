"""Storage outside the vault, in SQLite: one module per noun."""
