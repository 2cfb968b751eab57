"""MPI libraries and their launchers: recognise them, and start programs through them."""
