"""From a recorded run to the same run elsewhere: a question, replayed beside its base."""
