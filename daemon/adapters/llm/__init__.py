"""Language models: one confined process for each provider."""
