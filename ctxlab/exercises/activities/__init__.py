"""What a lesson asks beside its exercises: recall, predict, explain, order. Each answer is kept."""
