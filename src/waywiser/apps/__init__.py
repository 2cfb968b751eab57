"""Applications: how the output of each is read."""
