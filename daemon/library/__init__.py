"""The user's own documents: find them, read them, and search them."""
