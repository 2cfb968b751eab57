"""Studies: expand a study file into configurations and runs; start, resume and collect the runs."""
