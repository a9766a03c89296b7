"""What to research next: propose topics, plan tasks, and stay within a budget."""
