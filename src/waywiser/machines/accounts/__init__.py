"""Accounts of a batch system: what its jobs took and how long they waited, without their users."""
