"""Strategies that keep a history within a limit, and what each does to one history, side by side."""
