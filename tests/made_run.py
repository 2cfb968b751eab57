"""A traced run that was never made: ranks whose every time is known, as a run directory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests import synthetic
from tests.made_traces import MS, MadeTrace
from tests.native_records import record
from waywiser.native import _native as native
from waywiser.store.directory import RunDirectory

INIT_NS, FINALIZE_NS = 5 * MS, 2 * MS
CALL_NS = 2000
ROUNDS = 10


def made_run(path: Path, hosts: Sequence[str], computing_ms: Sequence[float]) -> Path:
    """In each of ten rounds, ranks compute and then make an Allreduce of 8 B, which ends for all
    ranks 2 us after the last one has come to it. One message of 8 B goes from rank to rank."""
    ranks = len(hosts)
    trace = MadeTrace(ranks, hosts=hosts)
    longest = int(max(computing_ms) * MS)
    for rank in range(ranks):
        trace.call(rank, "Init", 0, INIT_NS)
        begin = INIT_NS
        for _ in range(ROUNDS):
            end = begin + longest + CALL_NS
            came = begin + int(computing_ms[rank] * MS)
            trace.call(rank, "Allreduce", came, end, bytes=8, posted=8)
            begin = end
        trace.call(rank, "Sendrecv", begin, begin + CALL_NS, peer=(rank + 1) % ranks, tag=1,
                   bytes=8, source=(rank - 1) % ranks, source_tag=1, posted=8)  # fmt: skip
        begin += CALL_NS
        trace.call(rank, "Finalize", begin, begin + FINALIZE_NS)
    trace.write(path / "trace" / "trace.ww")
    write_profile(path, hosts, begin + FINALIZE_NS)
    return path


def write_profile(
    path: Path,
    hosts: Sequence[str],
    wall_ns: int,
    *,
    init_ns: int = INIT_NS,
    finalize_ns: int = FINALIZE_NS,
) -> None:
    times = {"wall_ns": wall_ns, "init_ns": init_ns, "finalize_ns": finalize_ns}
    ending = native.Ending.finalised
    profile = record(
        native.Profile,
        world_size=len(hosts),
        abi="openmpi",
        library="Open MPI v5.0.11",
        ranks=[
            record(native.RankProfile, rank=rank, host=host, ending=ending, **times)
            for rank, host in enumerate(hosts)
        ],
    )
    trace = path / "trace" / "trace.ww"
    if trace.exists():
        profile = native.profile_of_trace(str(trace), 0, 2**63, profile)
    native.write_profile(profile, str(path / "profile.ww"))
    RunDirectory(path).write_run(synthetic.run(len(hosts)))
