"""Placements of ranks on slots, in the format of each launcher."""
