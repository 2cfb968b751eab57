"""Selection of collective algorithms in each MPI library: `tuners.TUNERS`."""
