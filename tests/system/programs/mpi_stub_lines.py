"""Calls MPI on the first thread and on another, from a path that is not ASCII as well."""

import threading

from mpi4py import MPI


def main():
    for _ in range(5):
        MPI.barrier()  # main: 5 Barrier
    sum(MPI.barrier() or 1 for _ in range(2))  # main.<genexpr>: 2 Barrier


main()
exec(compile("\n\nMPI.barrier()", "/tmp/größe-数.py", "exec"))
other = threading.Thread(target=MPI.barrier)
other.start()
other.join()
