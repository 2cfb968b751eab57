"""The white paper of a study: `write.write_paper`."""
