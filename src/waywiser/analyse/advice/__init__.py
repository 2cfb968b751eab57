"""Opportunities to make a run faster, with their gains, and POP's efficiencies."""
