"""What is wrong with a history: what a provider would reject, and what a compactor may not do."""
