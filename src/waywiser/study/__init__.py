"""Studies: a file becomes points, points become runs, and runs are begun, resumed and counted."""
