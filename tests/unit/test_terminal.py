"""The terminal summary: a golden text, and that it fits and harms no terminal."""

from __future__ import annotations

import argparse
import json
import os
import re
from pathlib import Path

import pytest

from tests import synthetic
from tests.synthetic_runs import function, openmp, rank, site, summary
from waywiser.analyse.diagnosis import diagnosis
from waywiser.analyse.findings import SENTENCES
from waywiser.analyse.remarks import remark_lines
from waywiser.cli import show
from waywiser.model.summary import Summary, SummaryMpi
from waywiser.report.run.terminal import COLUMNS, LINES, columns, padded, side_by_side, summary_text
from waywiser.units import unbroken

GOLDEN = Path(__file__).parent.parent / "golden" / "summary-4-ranks.txt"


def test_the_summary_of_four_ranks() -> None:
    """WAYWISER_UPDATE_GOLDEN=1 writes the golden text anew."""
    text = summary_text(synthetic.summary(4))
    if os.environ.get("WAYWISER_UPDATE_GOLDEN") == "1":
        GOLDEN.write_text(text, encoding="utf-8")

    assert text == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("ranks", [0, 1, 2, 8, 1024])
@pytest.mark.parametrize("lost", [(), ("Rank 1 was killed by signal 9 after 12.1 s.",) * 5])
def test_it_fits_a_screen(ranks: int, lost: tuple[str, ...]) -> None:
    lines = summary_text(synthetic.summary(ranks, lost=lost)).splitlines()

    assert len(lines) < 24 + len(lost), "the prompt needs a line too"
    assert sum(line.startswith("! Rank 1 ") for line in lines) == len(lost)
    assert max(map(columns, lines)) <= COLUMNS


def escapes(text: str) -> list[str]:
    return re.findall("<[0-9a-f]{2,}>", text)


@pytest.mark.parametrize("ranks", [0, 1, 4, 1024])
def test_a_harmless_text_has_no_escapes(ranks: int) -> None:
    text = summary_text(synthetic.summary(ranks, lost=("Rank 1 was lost.",)), per_rank=True)

    assert escapes(text) == []
    assert "\u00a0" not in text


def test_no_line_breaks_before_a_unit() -> None:
    for letters in range(1, 40):
        lines = summary_text(synthetic.summary(4, host="n" * letters)).splitlines()
        assert not [line for line in lines if line.startswith("%")]


@pytest.mark.parametrize(
    "amount", ["9.1 %", "1.19 ± 0.05 s", "< 0.1 %", "3.2 ms", "5.79 kB", "64 KiB", "13.9 GFLOP/s"]
)
def test_an_amount_is_on_one_line(amount: str) -> None:
    assert " " not in unbroken(amount)
    assert unbroken(f"rank 3 shares {amount}, on") == f"rank 3 shares {unbroken(amount)}, on"


def test_a_run_without_mpi_says_so_and_why() -> None:
    why = "0 MPI calls seen: echo never called MPI_Init"

    text = summary_text(synthetic.summary(0, lost=(why,)), per_rank=True)

    assert text == f"no MPI call was seen\n! {why}\n"


def test_a_library_that_did_not_say_its_version() -> None:
    summary = synthetic.summary(1)
    unknown = SummaryMpi(library="unknown", version="unknown", abi="unknown")

    text = summary_text(summary.replace(mpi=unknown))

    assert text.startswith("unknown MPI library · 1 rank")


def test_threads_share_out_their_own_time() -> None:
    alone = summary_text(synthetic.summary(2))
    text = summary_text(synthetic.summary(2, threads={0: 8, 1: 8}))

    # Eight threads that do the same have the share of one of them.
    shares = [re.findall(r"all ranks.* (\d+ % MPI)", shown) for shown in (alone, text)]
    assert shares[0] == shares[1] != []
    assert "of the time of the ranks' MPI threads is MPI" in " ".join(text.split())


def test_a_host_name_cannot_steer_the_terminal() -> None:
    host = "\x1b[31mn\x9b2J\r\u202e"
    summary = synthetic.summary(4, host=host, lost=(f"Rank 1 on {host} was lost.",))

    text = summary_text(summary, per_rank=True)

    assert not set(text) & set("\x1b\x9b\r\u202e")
    assert "<1b>[31mn" in text


def test_lost_sentences_come_before_the_diagnosis() -> None:
    lines = summary_text(synthetic.summary(4, lost=("Rank 9 was lost.",))).splitlines()

    assert lines[0].endswith("· partial")
    assert lines[1] == "! Rank 9 was lost."


def test_the_terminal_tells_a_failed_program_from_a_partial_profile() -> None:
    whole = synthetic.summary(4, lost=("the program ended with exit code 3",)).replace(
        status="complete", exit_code=3
    )

    first, second, *_ = summary_text(whole).splitlines()

    assert first.endswith("· complete, failed (exit code 3)")
    assert not second.startswith("!")


def test_remarks_are_shown_and_never_merely_counted() -> None:
    calm = synthetic.summary(8)
    ranks = [
        rank.replace(cpu_seconds=(0.15 + rank.rank / 100) * rank.wall_seconds)
        if rank.rank in (2, 3, 4, 6)
        else rank.replace(cpu_seconds=rank.wall_seconds)
        for rank in calm.per_rank or ()
    ]

    text = summary_text(calm.replace(per_rank=tuple(ranks)))

    assert (
        "ranks 2-4, 6: on a CPU for only 17 % of the wall time (lowest: rank 2)"
        in text.splitlines()
    )
    assert "with a remark" not in text


def test_every_remark_is_shown() -> None:
    """Nine ranks apart from each other, and two others with threads of their own."""
    calm = synthetic.summary(32)
    ranks = [
        rank.replace(
            cpu_seconds=(0.2 if rank.rank % 2 and rank.rank < 18 else 1) * rank.wall_seconds,
            mpi_threads=2 if rank.rank == 20 else 1,
        )
        for rank in calm.per_rank or ()
    ]

    first, *others = remark_lines(tuple(ranks))

    assert first.startswith("9 ranks, the first 1: on a CPU for only 20 %")
    assert len(others) == 2
    text = " ".join(summary_text(calm.replace(per_rank=tuple(ranks))).split())
    assert all(line in text for line in (first, *others))


def test_counters_that_are_missing_are_reported_with_the_reason() -> None:
    why = "not permitted: kernel.perf_event_paranoid is 4; 2 or less permits it"
    some = synthetic.summary(4)
    ranks = [rank.replace(not_counted=why if rank.rank else "") for rank in some.per_rank or ()]

    text = summary_text(some.replace(per_rank=tuple(ranks)))

    assert f"hardware counters on 3 of 4 ranks {why}" in " ".join(text.split())


def test_each_rank_on_request() -> None:
    text = summary_text(synthetic.summary(4), per_rank=True)

    assert text.startswith(summary_text(synthetic.summary(4)).rstrip("\n"))
    assert "often preempted by other threads or programs" in text


def test_bars_divide_the_time() -> None:
    line = next(
        line
        for line in summary_text(synthetic.summary(1)).splitlines()
        if line.startswith("rank 0")
    )

    assert (line.count("█"), line.count("▒"), line.count("░")) == (29, 4, 1)


def test_side_by_side_aligns_its_columns() -> None:
    left, right = (summary_text(synthetic.summary(ranks)) for ranks in (4, 1))

    lines = side_by_side(left, right, 160).splitlines()

    assert {columns(line[: line.index("│")]) for line in lines} == {COLUMNS + 1}
    assert max(map(columns, lines)) <= 160
    assert len(lines) == max(text.count("\n") for text in (left, right))


def test_wide_characters_count_twice() -> None:
    assert columns("計算 node") == 9
    assert side_by_side("計\nab", "x\ny", 20) == "計 │ x\nab │ y\n"
    assert padded("計算", 3) == "計…"


def test_a_narrow_terminal_stacks() -> None:
    left, right = (summary_text(synthetic.summary(ranks)) for ranks in (4, 2))

    text = side_by_side(left, right, 100)

    assert text.startswith(left.rstrip())
    assert text.endswith(right)


def shown(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    read = (synthetic.run(4), synthetic.summary(4))
    monkeypatch.setattr(show, "read_gated", lambda directory, window: read)
    parser = argparse.ArgumentParser()
    show.add_arguments(parser)
    return show.run(parser.parse_args(["RUN", *arguments]))


def test_show_prints_the_summary(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(monkeypatch) == 0

    assert capsys.readouterr().out == summary_text(synthetic.summary(4))


@pytest.mark.parametrize("per_rank", [False, True])
def test_show_prints_the_contract_as_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], per_rank: bool
) -> None:
    assert shown(monkeypatch, "--json", *["--per-rank"] * per_rank) == 0

    document = json.loads(capsys.readouterr().out)
    contract = {
        "waywiser",
        "status",
        "mpi",
        "ranks",
        "wall_seconds",
        "mpi_seconds",
        "init_seconds",
        "finalize_seconds",
        "functions",
        "matrix",
        "lost",
        *("split_sync", "sync_seconds", "phases", "communicators", "call_sites", "threads"),
        *("collective_matrix", "collective_remarks", "waiting_estimate", "trace", "waits"),
        *("advice", "efficiencies", "virtual", "gate", "exit_code", "nodes", "diagnosis"),
        *("roofline", "verdict"),
    }
    assert set(document) == contract | ({"per_rank"} if per_rank else set())


def everything(hosts: str) -> Summary:
    """A run of which there is more to say than fits."""
    names = ("Allreduce", "Bcast", "Waitall", "Sendrecv", "Alltoall", "Reduce", "Scan", "Gather")
    ranks = [
        rank(
            n,
            {f"MPI_{name}": function(0.1, 0.5 * (n > 0)) for name in names}
            | {"MPI_Iprobe": function(0.2, pending_calls=9), "MPI_File_open": function(0.6)},
            hosts,
        ).replace(openmp=openmp(5.0), cpus="0", init_seconds=2.0)
        for n in range(4)
    ]
    sites = tuple(site(f"f{n} at {hosts}.c:{n}", "MPI_Bcast", 1.0, 1.0) for n in range(5))
    whole = summary(ranks, split=True, call_sites=sites)
    return whole.replace(lost=(f"Rank 9 on host {hosts} was lost. " * 2,) * 3)


@pytest.mark.parametrize("letters", [2, 30, 60])
def test_all_that_there_is_to_say_fits_a_screen(letters: int) -> None:
    whole = everything("n" * letters)
    lines = summary_text(whole).splitlines()

    assert len(summary_text(whole.replace(lost=())).splitlines()) <= LINES
    assert sum(line.startswith("! ") for line in lines) == len(whole.lost)
    assert max(map(columns, lines)) <= COLUMNS
    assert diagnosis(everything("n")).text.count(". ") < SENTENCES


def test_the_table_tells_waiting_and_vain_polls() -> None:
    ranks = [
        rank(
            n,
            {
                "MPI_Allreduce": function(0.5, 2.0),
                "MPI_Test": function(1.0, calls=1000, pending_calls=999),
            },
        )
        for n in range(4)
    ]
    row = {}
    for split in (False, True):
        text = summary_text(summary(ranks, split=split))
        row[split] = {
            line.split()[0]: " ".join(line.split()) for line in text.splitlines() if line[:1] == "M"
        }

    assert row[True]["MPI_Allreduce"] == "MPI_Allreduce 40 10 s 8 s 25 % -"
    assert row[True]["MPI_Test"] == "MPI_Test 4,000 4 s - 10 % 99 % vain"
    assert row[False]["MPI_Test"] == "MPI_Test 4,000 4 s 10 % 99 % found nothing"


def test_call_sites_are_shown_where_lines_remain() -> None:
    ranks = [rank(n, {"MPI_Recv": function(2.0)}) for n in range(4)]
    sites = [site("a at a.c:1", "MPI_Recv", 3.0), site("a at a.c:1", "MPI_Recv", 2.0)]
    sites += [site("b at b.c:2", "MPI_Recv", 3.0), site("c at c.c:3", "MPI_Recv", 0.001)]

    text = summary_text(summary(ranks, call_sites=tuple(sites)))

    assert [
        " ".join(line.split()) for line in text.splitlines() if line.startswith("MPI_Recv from")
    ] == [
        "MPI_Recv from a at a.c:1 5 s 12 %",
        "MPI_Recv from b at b.c:2 3 s 7.5 %",
    ]


def test_the_table_has_the_share_of_init_and_finalize_that_the_diagnosis_says() -> None:
    set_up = {"MPI_Init_thread": function(5.4), "MPI_Finalize": function(0.2)}
    profile = rank(0, {"MPI_Recv": function(1.0), **set_up}).replace(
        mpi_seconds=1.0, init_seconds=5.4, finalize_seconds=0.2
    )

    text = summary_text(summary([profile]))

    assert "56 % of the rank's time is MPI_Init and MPI_Finalize" in " ".join(text.split())
    (row,) = [line for line in text.splitlines() if line.startswith("MPI_Init, MPI_Finalize ")]
    assert row.split()[-3:] == ["%", "-", "-"]
    assert "5.60 s     56 %" in row
    assert "MPI_Init_thread" not in text


def test_a_table_has_one_system_of_units() -> None:
    rows = summary_text(synthetic.summary(4)).split("function  ")[1].split("efficiency")[0]

    assert " 14.0 kB   33.6 MB" in rows
    assert "iB" not in rows
