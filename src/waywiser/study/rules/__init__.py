"""The rules of `study check`, by topic."""
