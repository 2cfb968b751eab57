"""Accounts of a batch system: use and waiting times of its jobs, without their users."""
