"""The rules of `study check`, by what they are about."""
