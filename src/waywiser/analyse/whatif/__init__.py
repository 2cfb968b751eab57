"""Predict a recorded run elsewhere: a question, replayed beside its base."""
