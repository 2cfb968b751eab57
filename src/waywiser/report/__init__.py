"""What readers see, by product: a run, answers to questions about it, a study, machines."""
