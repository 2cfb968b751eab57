"""Tetrahedral meshes: made, read, checked, clustered by time step and partitioned."""
