"""JSON documents of verbs match the reference's schemas, for a real run."""

from __future__ import annotations

import json

import pytest

from tests.schemas import assert_fits
from tests.support import MpiLibrary, Waywiser


@pytest.fixture
def profiled(waywiser: Waywiser, openmpi: MpiLibrary) -> Waywiser:
    """The command, in a directory with a run of two ranks."""
    waywiser.profiles(openmpi.command(2, openmpi.program("ww-minife"), "--nx", "6"))
    return waywiser


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("show", ["show", "run", "--json"]),
        ("show", ["show", "run", "--json", "--per-rank"]),
        ("export", ["export", "run", "--to", "json"]),
        ("export", ["export", "run", "--to", "json", "--anonymise"]),
        ("doctor", ["doctor", "--json"]),
    ],
)
def test_a_verb_prints_what_its_schema_says(
    profiled: Waywiser, name: str, words: list[str]
) -> None:
    done = profiled(*words)

    assert done.returncode == 0, done.stderr
    assert_fits(json.loads(done.stdout), name)


def test_run_json_is_what_its_schema_says(profiled: Waywiser) -> None:
    text = (profiled.directory / "run" / "run.json").read_text(encoding="utf-8")

    assert_fits(json.loads(text), "run")


def test_the_contract_of_show_is_kept(profiled: Waywiser) -> None:
    """The keys that the first users were promised, with their types."""
    document = profiled.show("run", "--per-rank")

    assert set(document) == {
        *("waywiser", "status", "mpi", "ranks", "wall_seconds", "mpi_seconds", "init_seconds"),
        *("finalize_seconds", "functions", "matrix", "per_rank", "lost", "split_sync"),
        *("sync_seconds", "phases", "communicators", "call_sites", "threads", "collective_matrix"),
        *("collective_remarks", "efficiencies", "nodes", "diagnosis", "verdict"),
        *("waiting_estimate", "trace", "waits", "advice", "virtual", "gate", "exit_code"),
        "roofline",
    }
    assert document["status"] == "complete"
    assert set(document["mpi"]) == {"library", "version", "abi"}
    assert set(document["functions"]["MPI_Send"]) == {
        *("calls", "seconds", "bytes", "receive_bytes", "sizes", "max_seconds", "sync_seconds"),
        *("pending_calls", "pending_seconds", "most", "least"),
    }
    assert set(document["matrix"]) == {"bytes", "messages"}
    assert all(isinstance(n, int) for pair in document["matrix"]["bytes"] for n in pair)
    for number, rank in enumerate(document["per_rank"]):
        assert rank["rank"] == number
        assert {
            *("host", "cpus", "wall_seconds", "mpi_seconds", "cpu_seconds"),
            *("involuntary_switches", "peak_memory_bytes", "functions", "threads"),
        } <= set(rank)
    assert "per_rank" not in profiled.show("run")
