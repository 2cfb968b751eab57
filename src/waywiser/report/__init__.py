"""Reports of a run: the terminal summary, the HTML page, and the plots as files."""
