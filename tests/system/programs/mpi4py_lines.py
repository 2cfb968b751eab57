"""Calls MPI from lines that are marked: function, calls on each rank, name."""

from array import array
from threading import Thread

from mpi4py import MPI

WORLD = MPI.COMM_WORLD


def collect(times):
    for _ in range(times):
        WORLD.Barrier()  # collect: 3 Barrier


class Solver:
    def step(self):
        ours, theirs = array("i", [1]), array("i", [0])
        WORLD.Allreduce([ours, MPI.INT], [theirs, MPI.INT])  # Solver.step: 2 Allreduce

        def inner():
            WORLD.bcast(
                {"a": 1},
                root=0,
            )

        inner()
        (lambda: WORLD.Barrier())()  # Solver.step.<lambda>: 2 Barrier


collect(3)
for _ in range(2):
    Solver().step()
WORLD.Barrier()  # <module>: 1 Barrier


def threaded(own):
    for _ in range(50):
        own.Barrier()  # threaded: 200 Barrier


assert MPI.Query_thread() == MPI.THREAD_MULTIPLE
threads = [Thread(target=threaded, args=(MPI.COMM_SELF.Dup(),)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for i in range(40):  # code that is freed, and other code in its place
    exec(compile("\n" * i + "WORLD.Barrier()", f"made-{i}.py", "exec"))
