"""The user's own documents: which there are, what is in them, and which answer a question."""
