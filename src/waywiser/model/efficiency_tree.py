"""POP's efficiencies of a run."""

from __future__ import annotations

from waywiser.model.base import Model


class Efficiencies(Model):
    """POP's efficiencies of a run, each between 0 and 1; only `transfer` may exceed 1.

    parallel = mpi * openmp, mpi = load_balance * communication, communication = serialisation *
    transfer, openmp = openmp_load_balance * openmp_scheduling * openmp_serialisation. Without
    OpenMP's efficiencies, parallel = load_balance * communication. A rank computes while it is
    outside of MPI.

    Sources: M. Wagner, S. Mohr, J. Gimenez, J. Labarta, "A structured approach to performance
    analysis", Parallel Tools Workshop 2017, Springer 2019. C. Rosas, J. Gimenez, J. Labarta,
    "Scalability prediction for fundamental performance factors", Supercomputing Frontiers and
    Innovations 1(2), 2014. OpenMP: J. Gimenez, E. Mercadal, G. Llort, S. Mendez, "Analyzing the
    efficiency of hybrid codes", ISPDC 2020 (POP's multiplicative hybrid metrics); its parts are
    those of TALP of the library DLB 3.5. `io` is not one of POP's.
    """

    parallel: float
    """Mean useful computation of the ranks / run time; with OpenMP's efficiencies, the useful time
    of their threads instead."""

    mpi: float | None = None
    """Mean useful computation of the ranks / run time. None without OpenMP's efficiencies: then it
    equals `parallel`."""

    load_balance: float
    """Mean useful computation of the ranks / that of the rank with most of it."""

    communication: float
    """Useful computation of the rank with most of it / run time."""

    serialisation: float | None
    """Useful computation of the rank with most of it / run time on an ideal network. It is lowered
    by ranks that wait for each other in turn. On an ideal network, messages take no time. None,
    like `transfer`, where the replay does not describe the run."""

    transfer: float | None
    """Run time on an ideal network / run time. Above 1 where the recorded CPUs
    computed in less time than the replay has them compute."""

    openmp: float | None = None
    """Useful time of all threads / threads * useful computation. None, as its parts, where the
    times of OpenMP's threads are not known."""

    openmp_load_balance: float | None = None
    """Efficiency, lowered by the threads' waits in barriers and at the ends of parallel regions."""

    openmp_scheduling: float | None = None
    """Efficiency, lowered by threads that begin late or are in no team while others are in a
    region."""

    openmp_serialisation: float | None = None
    """Efficiency, lowered by threads that are idle outside parallel regions."""

    io: float | None = None
    """Time outside of MPI-IO and of the counted calls on files / time between MPI_Init and
    MPI_Finalize. None where neither was seen."""

    computing_mean_seconds: float
    computing_most_seconds: float
    most_rank: int
    useful_seconds: float | None = None
    """Useful computation of all ranks, less what OpenMP's threads lose; with OpenMP, of all
    threads."""

    ideal_seconds: float | None
    """Run time where messages take no time, by replay."""
