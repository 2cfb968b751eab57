"""How each MPI library is told which algorithm a collective takes: `tuners.TUNERS`."""
