"""What to research next: proposing topics, planning tasks, keeping them to a budget."""
