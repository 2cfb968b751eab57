"""Placements of ranks on slots, in the words of each launcher."""
