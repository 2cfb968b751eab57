"""Small files that ask for gigabytes or minutes: one sentence, in little of either."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz.measured import assert_bounded, assert_refused, measured
from tests.job import Job
from tests.native_records import stride
from tests.synthetic_jobs import rounds
from waywiser.native import _native as native

HEADER = "%%MatrixMarket matrix coordinate integer general\n"
MACHINE = """\
title = "asks for much"
source = { document = "none", date = "2026-01-01" }
node = { cores = 4 }
[network]
topology = { kind = "TOPOLOGY }
link_bandwidth_GBps = 10
"""
ON = ("--on", "fdr-4")
CLAIMED = 1 << 24


def _endless_line() -> bytes:
    packed = zlib.compressobj(wbits=31)
    begin = packed.compress(HEADER.encode()) + packed.flush(zlib.Z_FULL_FLUSH)
    megabyte = packed.compress(b"1" * (1 << 20)) + packed.flush(zlib.Z_FULL_FLUSH)
    return begin + 800 * megabyte + packed.flush()


def _machine(topology: str) -> bytes:
    return MACHINE.replace("TOPOLOGY", topology).encode()


@pytest.mark.parametrize(
    ("name", "content", "verb", "says"),
    [
        ("ranks.mtx", f"{HEADER}2147483647 2147483647 1\n1 2 3\n".encode(),
         ("place", "FILE", *ON), "2147483647 ranks; 1 to 262144 are accepted of 1 entries"),
        ("entries.mtx", f"{HEADER}1 1 99999999999\n".encode() + b"1 1 1\n" * 100_000,
         ("place", "FILE", *ON), "ends after 100000 of 99999999999 entries"),
        ("line.mtx.gz", _endless_line(),
         ("place", "FILE", *ON), "unpacks to more than 16 times its size"),
        ("digits.mtx", f"{HEADER}{'9' * 5000} {'9' * 5000} 1\n".encode(),
         ("place", "FILE", *ON), "expected 'ranks ranks entries'"),
        ("hosts", b"n[1-16777216]\nm[1-16777216]\n",
         ("place", "small.mtx", *ON, "--hosts", "FILE"), "names 16777216 hosts; at most 1048576"),
        ("brackets", b"n" + b"[1-1048576]" * 80_000,
         ("place", "small.mtx", *ON, "--hosts", "FILE"), "at most 1048576 are accepted"),
        ("topology.conf", b"SwitchName=s[0-1048575] Nodes=n[0-1048575]\n",
         ("machine", "import", "FILE", "--from", "slurm"), "at most 1048576 are accepted"),
        ("doubling.conf", b"SwitchName=top Switches=s0\n" + b"".join(
            b"SwitchName=s%d Switches=s%d,s%d\n" % (i, i + 1, i + 1) for i in range(60)
        ) + b"SwitchName=s60 Nodes=n0\n",
         ("machine", "import", "FILE", "--from", "slurm"), ""),
        ("cabinets", b"".join(b"x%dc0s0b9n99\n" % i for i in range(60_000)),
         ("machine", "import", "FILE", "--from", "slingshot"), "at most 1048576 are accepted"),
        ("rates", b'Switch 36 "S-1" # "a"\n[1] "S-2"[1] # ' + b"1" * 900_000 + b"\n",
         ("machine", "import", "FILE", "--from", "ibnetdiscover"), "is longer than 1024"),
        ("nested.xml", b"<topology>" + b"<object type='Core'>" * 3000 + b"</object>" * 3000
         + b"</topology>",
         ("machine", "import", "FILE", "--from", "hwloc"), "nested more than 256 levels"),
        ("many.xml", b"<topology><object type='Core'/>" + b"<object type='L3Cache'/>" * 30_000
         + b"</topology>",
         ("machine", "import", "FILE", "--from", "hwloc"), ""),
        ("laughs.xml", b"<!DOCTYPE t [<!ATTLIST object a CDATA '" + b"x" * 500_000
         + b"'>]><topology>"
         + b"<object/>" * 50_000 + b"</topology>",
         ("machine", "import", "FILE", "--from", "hwloc"), "<!ATTLIST is not accepted"),
        ("nested.toml", b"a = " + b"[" * 3000 + b"]" * 3000,
         ("machine", "show", "FILE"), "nested too deeply"),
        ("tables.toml", b"a = " + b"{b = " * 3000 + b"1" + b"}" * 3000,
         ("study", "check", "FILE"), "nested too deeply"),
        ("dots.toml", b"a." * 200_000 + b"a = 1\n",
         ("study", "check", "FILE"), "a key has more than 32 parts"),
        ("digits.toml", b"title = " + b"9" * 5000,
         ("study", "check", "FILE"), "is not valid TOML"),
        ("torus.toml", _machine('torus", lengths = [256, 256, 256]'),
         ("machine", "show", "FILE"), "1048576"),
        ("graph.toml", _machine('graph", nodes = 16777215, edges = [[0, 1]]'),
         ("machine", "show", "FILE"), "1048576"),
        ("order", b"9" * 5000, ("rerank", "FILE", "--", "true"), "expected the number of a rank"),
        ("doubling.sh", b"a=x\n" + b"a=$a$a\n" * 60 + b"mpirun -n 4 ./app $a\n",
         ("study", "init", "new.toml", "--from", "FILE"), ""),
    ],
    ids=lambda value: value if isinstance(value, str) and re.fullmatch(r"[\w.]+", value) else "",
)  # fmt: skip
def test_a_small_file_takes_little(
    tmp_path: Path, name: str, content: bytes, verb: tuple[str, ...], says: str
) -> None:
    (tmp_path / "small.mtx").write_text(f"{HEADER}2 2 1\n1 2 3\n", encoding="utf-8")
    file = tmp_path / name
    file.write_bytes(content)

    took = measured([str(file) if word == "FILE" else word for word in verb], tmp_path)

    if says:
        assert_refused(took, name, says)
    else:
        assert_bounded(took)


def _profile(run: Path) -> None:
    profile = native.read_profile(str(run / "profile.ww"))
    profile.world_size = CLAIMED
    native.write_profile(profile, str(run / "profile.ww"))


def _ranks(run: Path) -> None:
    writer = native.TraceWriter(str(run / "trace" / "trace.ww"))
    for rank in (0, CLAIMED - 1):
        writer.add_rank(rank, "host", [])
    writer.finish()


def _members(run: Path) -> None:
    """Each of a thousand communicators names all ranks of 2^18, in two strides."""
    job = Job(2)
    for _ in range(1000):
        job.communicator([0, 1])
        job.objects[-1].members = [stride(0, 1, 1 << 17), stride(1 << 17, 1, 1 << 17)]
        job.objects[-1].size = 1 << 18
    for rank in range(2):
        job.call(rank, "Init", 0, 10)
        job.call(rank, "Allreduce", 20, 30, bytes=8, posted=8)
    job.write(run / "trace" / "trace.ww")


VERBS = (
    ("show", "RUN"),
    ("show", "RUN", "--json"),
    ("report", "RUN", "-o", "page.html"),
    ("whatif", "RUN", "--latency", "x2"),
    ("advise", "RUN"),
    ("place", "RUN", *ON),
    ("export", "RUN", "--to", "perfetto", "-o", "trace.json"),
)


@pytest.mark.parametrize("claim", [_profile, _ranks, _members])
@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_run_that_claims_too_much_takes_little(
    tmp_path: Path, claim: Callable[[Path], None], verb: tuple[str, ...]
) -> None:
    run = rounds(["n0", "n1"], [1.0, 2.0]).run(tmp_path / "run")
    claim(run)

    took = measured([str(run) if word == "RUN" else word for word in verb], tmp_path)

    assert_bounded(took)
    assert took.code in (0, 2), took.output
    assert "16777216" not in took.output or "at most" in took.output


def test_a_profile_that_claims_too_many_ranks_is_refused(tmp_path: Path) -> None:
    run = rounds(["n0", "n1"], [1.0, 2.0]).run(tmp_path / "run")
    _profile(run)

    took = measured(["show", str(run)], tmp_path)

    assert_refused(took, "profile.ww", "claims 16777216 ranks and holds 2; at most 262144")


def test_a_profile_whose_ranks_were_nearly_all_lost_is_read(tmp_path: Path) -> None:
    run = rounds(["n0", "n1"], [1.0, 2.0]).run(tmp_path / "run")
    profile = native.read_profile(str(run / "profile.ww"))
    profile.world_size = 1 << 18
    native.write_profile(profile, str(run / "profile.ww"))

    for verb in (["show"], ["report", "-o", "page.html"]):
        took = measured([verb[0], str(run), *verb[1:]], tmp_path)

        assert_bounded(took)
        assert took.code == 0, took.output
