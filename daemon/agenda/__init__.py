"""What to research next: propose topics, plan tasks, and limit their depth."""
