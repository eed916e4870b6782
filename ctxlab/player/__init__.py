"""The player: a trace as a live widget, as one HTML file, and as static tables."""
