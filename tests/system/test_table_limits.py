"""Entries beyond the profiler's tables are counted, and reported by the verbs that meet them."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import struct
import subprocess
from functools import partial
from pathlib import Path

from tests.support import MpiLibrary, Waywiser, wait_for
from tests.system.conftest import PROGRAMS, Build
from waywiser.native import PROFILER, SHIM
from waywiser.native._native import merge_states

COMMUNICATORS, MODULES, OBJECTS, PLACES = 1024, 256, 16384, 32768
"""Limits of the tables, which docs/profiling.md states."""


def test_more_files_than_are_distinguished(openmpi: MpiLibrary, waywiser: Waywiser) -> None:
    directory = waywiser.directory / "libraries"
    directory.mkdir()
    first = openmpi.build(
        PROGRAMS / "many_modules.c", directory / "lib0.so", "-shared", "-fPIC", "-DLIBRARY"
    )
    beyond = 6
    copies = MODULES - 1 + beyond  # the program itself is a file, too
    for i in range(1, copies):
        shutil.copyfile(first, directory / f"lib{i}.so")
    program = openmpi.build(PROGRAMS / "many_modules.c", waywiser.directory / "many", "-ldl")

    waywiser.succeeds(
        *("profile", "-o", "run", "--callsites", "--"),
        *openmpi.command(1, program, directory, str(copies)),
    )

    document = waywiser.show()
    modules = [s["module"] for s in document["call_sites"] if s["function"] == "MPI_Barrier"]
    assert len(modules) == MODULES
    [others] = [
        s
        for s in document["call_sites"]
        if s["module"] == "(other files)" and s["function"] == "MPI_Barrier"
    ]
    assert others["calls"] == beyond
    sentence = (
        f"{beyond} calls from files beyond the first 256 of a rank have no place in the program"
    )
    assert document["lost"] == [sentence]
    assert document["status"] == "complete"
    assert f"! {sentence[:40]}" in waywiser.here("show", "run").stdout


def test_more_places_than_are_distinguished(openmpi: MpiLibrary, waywiser: Waywiser) -> None:
    """Each called twice: those beyond are no others the second time."""
    beyond = 3
    program = waywiser.directory / "many"
    sites = PLACES - 1 + beyond
    openmpi.build(PROGRAMS / "many_sites.c", program, f"-DSITES={sites}")

    waywiser.succeeds(*("profile", "-o", "run", "--callsites", "--"), *openmpi.command(1, program))

    document = waywiser.show()
    others = {s["function"]: s for s in document["call_sites"] if s["module"] == "(other places)"}
    assert others["MPI_Barrier"]["calls"] == 2 * beyond
    assert all(site["place"] is None for site in others.values())
    barriers = [s for s in document["call_sites"] if s["function"] == "MPI_Barrier"]
    assert len(barriers) == PLACES - 1 + 1
    assert sum(site["calls"] for site in barriers) == 2 * sites
    calls = sum(site["calls"] for site in others.values())
    assert document["lost"] == [
        f"{calls} calls from places beyond the first 32,768 of a thread count together, one place "
        "for each function"
    ]
    assert document["status"] == "complete"


def test_more_communicators_than_are_distinguished(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """Each of another order of seven ranks; that of MPI_COMM_WORLD is the first."""
    beyond = 5
    program = build(openmpi, "many_objects.c")

    waywiser.succeeds(
        *("profile", "-o", "run", "--"),
        *openmpi.command(7, program, "groups", str(COMMUNICATORS + beyond)),
    )

    document = waywiser.show()
    known = [c for c in document["communicators"] if c["size"] is not None]
    [others] = [c for c in document["communicators"] if c["size"] is None]
    assert len(known) == COMMUNICATORS
    calls = others["functions"]["MPI_Bcast"]["calls"]
    assert calls == 7 * beyond
    assert document["lost"] == [
        f"{calls} collective calls on sets of processes beyond the first 1,024 of a rank count "
        "together, without size and members"
    ]


def test_more_objects_than_a_trace_tells_apart(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    beyond = 4
    program = build(openmpi, "many_objects.c")
    result = OBJECTS - 2 + beyond  # MPI_COMM_WORLD and MPI_COMM_SELF have theirs

    waywiser.succeeds(
        *("profile", "-o", "run", "--trace", "--"),
        *openmpi.command(1, program, "communicators", str(result)),
    )

    document = waywiser.show()
    sentence = "communicators, windows or files beyond the 16,384 that a trace distinguishes"
    [remark] = [lost for lost in document["lost"] if sentence in lost]
    assert remark.startswith(f"the trace: rank 0: {beyond} {sentence}")
    assert document["functions"]["MPI_Bcast"]["calls"] == result


PROCESSES, WATCHED = 6, 4
DESCRIPTORS = 16 + WATCHED
"""A collector leaves 16 open files for itself; it watches at most 4,096 processes anyhow."""


def _header(pid: int, rank: int) -> bytes:
    """The beginning of a live state (native/trace/records/state.hpp), between init and finalize."""
    header = bytearray(4096)
    struct.pack_into("<8sIIQIIii", header, 0, b"WWSTATE4", 4096, 65536, 0, pid, 1, rank, PROCESSES)
    header[232:233] = b"n"
    started = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    struct.pack_into("<Q", header, 2792, int(started))
    return bytes(header)


def _watched(state: Path) -> set[int]:
    """The processes of which the collector has a descriptor."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            if command.startswith(b"ww-collector\0" + os.fsencode(state)):
                texts = [file.read_text() for file in (process / "fdinfo").iterdir()]
                matches = [re.search(r"^Pid:\s*(\d+)$", text, re.MULTILINE) for text in texts]
                return {int(match[1]) for match in matches if match}
        except OSError:  # it has ended, or a descriptor was closed
            continue
    return set()


def test_more_processes_than_a_collector_watches(tmp_path: Path) -> None:
    """The further processes' states are saved, with a remark that their end was not seen."""
    run, state = tmp_path / "run", tmp_path / "state"
    (run / "parts").mkdir(parents=True)
    limit = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    words = [str(SHIM), "--copy-every=300", str(PROFILER), str(run), str(state), "", "sleep", "120"]
    sleeping = [subprocess.Popen(words, preexec_fn=limit) for _ in range(PROCESSES)]
    try:
        wait_for(lambda: len(list(state.glob("*.state"))) == PROCESSES)
        for rank, process in enumerate(sleeping):
            (state / f"{process.pid}.state").write_bytes(_header(process.pid, rank))
        wait_for(lambda: len(_watched(state)) == WATCHED)
        watched = _watched(state)
        # First those that it does not watch: it would watch one more where a watched one has ended.
        for process in sorted(sleeping, key=lambda process: process.pid in watched):
            process.kill()
            process.wait()
    finally:
        for process in sleeping:
            process.send_signal(signal.SIGKILL)
        for process in sleeping:
            process.wait()
    wait_for(lambda: not state.exists())

    profile = merge_states(list(map(str, (run / "parts").glob("*.states"))), True)

    assert len(profile.ranks) == PROCESSES
    unseen = [lost for lost in profile.lost if "the time of its end is not known" in lost]
    assert len(unseen) == 1
    assert len(profile.lost) == 2
    assert unseen[0].startswith("ranks "), "of the two that were not watched"
