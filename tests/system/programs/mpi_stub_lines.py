"""Calls MPI on the first thread and on others, from a path that is not ASCII as well."""

import threading

from mpi4py import MPI


def main():
    for _ in range(5):
        MPI.barrier()  # main: 5 Barrier
    sum(MPI.barrier() or 1 for _ in range(2))  # main.<genexpr>: 2 Barrier


main()
exec(compile("\n\nMPI.barrier()", "/tmp/größe-数.py", "exec"))
one_at_a_time = threading.Lock()


def work(calls):
    for _ in range(calls):
        with one_at_a_time:
            MPI.barrier()  # work: 24 Barrier


def last():
    MPI.barrier()  # last: 1 Barrier


others = [threading.Thread(target=work, args=(6,)) for _ in range(4)]
for thread in others:
    thread.start()
for thread in others:
    thread.join()
daemon = threading.Thread(target=last, daemon=True)
daemon.start()
daemon.join()
