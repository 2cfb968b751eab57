"""Studies: a file becomes configurations, configurations become runs, and runs are begun, resumed
and counted."""
