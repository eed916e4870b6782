"""Step through what happens to a history that no longer fits."""
