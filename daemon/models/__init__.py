"""Language models: roles, caps, pace, budgets, prompts, and checks of what they wrote."""
