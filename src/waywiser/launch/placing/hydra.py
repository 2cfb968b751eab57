"""Machinefiles of MPICH's mpiexec and of Intel MPI's, which agree in words and not in meaning.

For MPICH, each line is a node of its own, also where it repeats a host: its ranks do not share
memory with those of the other lines (MPI_COMM_TYPE_SHARED has size 1). So a host may have one line
only, and then its ranks follow each other.
"""

from __future__ import annotations

import re

from waywiser.launch.placing.form import Files, Form, InvalidPlacement, lines_of
from waywiser.launch.placing.placed import Placed

COUNT = re.compile(r"\d{1,6}", re.ASCII)


def _write_blocks(placed: Placed) -> str:
    return "".join(f"{host}:{count}\n" for host, count in placed.blocks)


def _write_ranks(placed: Placed) -> str:
    return "".join(f"{host}:1\n" for host in placed.hosts)


def _read(text: str, _: Placed) -> tuple[str, ...]:
    hosts: list[str] = []
    for number, line in lines_of(text):
        host, colon, count = line.partition(":")
        if not host or (colon and not COUNT.fullmatch(count)):
            raise InvalidPlacement(f"line {number}: '{line}' is not 'HOST' or 'HOST:RANKS'")
        hosts += [host] * int(count or 1)
    return tuple(hosts)


def _repeats_a_host(placed: Placed) -> str:
    seen: set[str] = set()
    for host, _ in placed.blocks:
        if host in seen:
            return (
                f"{host} would have two lines in the machinefile, and MPICH takes these for two "
                "nodes: their ranks would not share memory. Its -rankmap is no way out, since it "
                "garbles irregular maps. Take --for rerank, which renumbers the ranks in MPI_Init"
            )
        seen.add(host)
    return ""


def _launch(placed: Placed, files: Files) -> str:
    return f"mpiexec -f {files.placement} -n {placed.ranks}"


def _launch_intel(placed: Placed, files: Files) -> str:
    return f"mpirun -machinefile {files.placement} -n {placed.ranks}"


FORMS = (
    Form(
        name="mpich",
        about="machinefile of MPICH's mpiexec, one line a host; other orders are refused",
        write=_write_blocks,
        read=_read,
        launch=_launch,
        families=("mpich", "standard"),
        refuse=_repeats_a_host,
    ),
    Form(
        name="impi",
        about="machinefile of Intel MPI, one line a rank",
        write=_write_ranks,
        read=_read,
        launch=_launch_intel,
        families=("mpich", "standard"),
    ),
)
