"""`import waywiser as ww`: runs as frames, whose every number is known."""

from __future__ import annotations

import inspect
import itertools
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import duckdb
import pandas
import polars
import pytest

import waywiser as ww
from tests import synthetic, synthetic_study
from tests.support import ROOT
from tests.synthetic_jobs import ROUNDS, rounds
from waywiser.api import sql
from waywiser.api.answers import ANSWERS
from waywiser.api.frame import SHOWN_ROWS, Frame, frame_of_rows
from waywiser.api.run import Run
from waywiser.api.study import METRICS, RUNS, Study
from waywiser.api.tables import TABLES
from waywiser.errors import InvalidRun
from waywiser.native._native import NativeError, write_profile
from waywiser.store.directory import RunDirectory
from waywiser.store.parquet import CALLS, TYPES
from waywiser.store.study import Place, StudyDirectory
from waywiser.study.configurations import configurations_of
from waywiser.study.study_file import parse_study

RANKS = 4
FRAMES = [name for name, kind in vars(Run).items() if name in TABLES or name == "calls"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Ranks compute 1, 2, 3 and 4 ms a round, and the last one keeps the others waiting."""
    directory = tmp_path_factory.mktemp("made") / "run"
    opened = ww.open(rounds(["a", "a", "b", "b"], [1, 2, 3, 4]).run(directory))
    assert isinstance(opened, Run)
    return opened


def by(frame: Frame, *names: str) -> dict[Any, dict[str, Any]]:
    """The rows of a frame by these columns."""
    rows = {tuple(row[name] for name in names): row for row in frame}
    return rows if len(names) > 1 else {key: row for (key,), row in rows.items()}


def test_the_package_lists_the_names_for_users() -> None:
    assert {"open", "advise", "sql", "Run", "__version__"} <= set(dir(ww))
    assert all(getattr(ww, name) for name in dir(ww))
    assert not {"builtins", "Any", "analyse"} & set(dir(ww))


def test_functions_are_those_of_the_synthetic_run(run: Run) -> None:
    functions = by(run.functions, "function")

    assert list(functions) == ["MPI_Allreduce", "MPI_Finalize", "MPI_Init", "MPI_Sendrecv"]
    allreduce = functions["MPI_Allreduce"]
    assert allreduce["calls"] == RANKS * ROUNDS
    assert allreduce["bytes"] == 8 * RANKS * ROUNDS
    assert allreduce["seconds"] == pytest.approx(ROUNDS * (3e-3 + 2e-3 + 1e-3 + RANKS * 2e-6))
    assert (allreduce["most_rank"], allreduce["least_rank"]) == (0, 3)
    assert allreduce["least_seconds"] == pytest.approx(ROUNDS * 2e-6)


def test_ranks_have_their_hosts_and_times(run: Run) -> None:
    ranks = by(run.ranks, "rank")

    assert [row["host"] for row in ranks.values()] == ["a", "a", "b", "b"]
    for rank, row in ranks.items():
        assert row["application_seconds"] == pytest.approx(ROUNDS * (rank + 1) * 1e-3)
    assert ranks[0]["instructions"] is None


def test_the_functions_of_ranks_add_up_to_those_of_the_run(run: Run) -> None:
    sums: dict[str, float] = {}
    for row in run.rank_functions:
        sums[row["function"]] = sums.get(row["function"], 0.0) + row["seconds"]

    whole = {row["function"]: row["seconds"] for row in run.functions}
    assert sums == pytest.approx(whole)


def test_the_matrix_has_messages_beside_collectives(run: Run) -> None:
    matrix = by(run.matrix, "source", "destination")

    ring = {(rank, (rank + 1) % RANKS) for rank in range(RANKS)}
    assert {pair for pair, row in matrix.items() if row["messages"]} == ring
    assert all(matrix[pair]["bytes"] == 8 for pair in ring)
    assert any(row["collective_bytes"] and not row["bytes"] for row in matrix.values())


def test_waits_are_those_for_the_slowest_rank(run: Run) -> None:
    waits = by(run.waits, "rank")
    assert {rank: row["seconds"] for rank, row in waits.items()} == pytest.approx(
        {rank: ROUNDS * (3 - rank) * 1e-3 for rank in range(3)}
    )

    pairs = by(run.wait_pairs, "waiting", "awaited")
    assert pairs[0, 3]["seconds"] == pytest.approx(waits[0]["seconds"])
    assert {row["causing_rank"] for row in run.wait_causes} == {3}
    path = sum(row["seconds"] for row in run.critical_path)
    assert path == pytest.approx(max(row["wall_seconds"] for row in run.ranks))


def test_calls_are_those_of_the_trace(run: Run) -> None:
    rows = list(run.calls)

    assert len(rows) == RANKS * (ROUNDS + 3)
    assert rows[0]["function"] == "MPI_Init"
    sent = [(row["rank"], row["peer"]) for row in rows if row["function"] == "MPI_Sendrecv"]
    assert sent == [(rank, (rank + 1) % RANKS) for rank in range(RANKS)]
    assert list(run.calls) == rows, "they are read anew"


@pytest.mark.parametrize("name", FRAMES)
def test_pandas_and_polars_take_each_frame(run: Run, name: str) -> None:
    frame: Frame = getattr(run, name)
    rows = list(frame)

    polar = polars.DataFrame(frame)
    assert polar.to_dicts() == rows
    assert polar.columns == list(frame.columns)
    assert frame.to_polars().equals(polar)

    panda = frame.to_pandas()
    assert list(panda.columns) == list(frame.columns)
    missing = panda.astype(object).where(panda.notna(), None)
    assert missing.to_dict("records") == rows


def test_no_library_of_data_frames_is_imported(run: Run) -> None:
    script = (
        "import sys, waywiser as ww; run = ww.open(sys.argv[1]); print(len(list(run.functions)),"
        " len(list(run.calls)), *{'pandas', 'polars', 'pyarrow'} & set(sys.modules))"
    )

    done = subprocess.run(
        [sys.executable, "-c", script, run.directory], check=True, capture_output=True, text=True
    )

    assert done.stdout.split() == ["4", str(RANKS * (ROUNDS + 3))]
    assert done.stderr == ""


def test_texts_and_missing_values_of_all_kinds_arrive() -> None:
    columns = {"a b": "BIGINT", 'say "hi"': "VARCHAR", "c": "DOUBLE", "d": "BOOLEAN"}
    rows = [(2**62, synthetic.HOSTILE, 0.1, True), (None, None, None, None), (-1, "ü", 1.0, False)]

    frame = frame_of_rows(columns, rows)

    assert [tuple(row.values()) for row in frame] == rows
    assert polars.DataFrame(frame).rows() == rows
    assert frame.to_dict()["a b"].tolist() == [2**62, None, -1]
    assert polars.DataFrame(frame_of_rows(columns, [])).schema == polars.DataFrame(frame).schema


def test_a_notebook_shows_the_first_rows_and_no_markup_of_the_values() -> None:
    text = frame_of_rows({"x": "VARCHAR"}, [("<b>",)] * (SHOWN_ROWS + 5))._repr_html_()

    assert text.count("<tr><td>&lt;b&gt;</td></tr>") == SHOWN_ROWS
    assert f"The first {SHOWN_ROWS} rows" in text
    assert "first" not in frame_of_rows({"x": "VARCHAR"}, [("a",)])._repr_html_()


def endless(trace: str, form: str, pipe: str) -> None:
    """Writes as `export_trace` does, the first call of a trace again and again."""
    call = "0,0,BEGIN,BEGIN,MPI_Comm_rank,,,,,,,,,0,0,,true,1,0\n" * 1000
    try:
        with open(pipe, "w", encoding="ascii") as file:
            file.write(f"{','.join(TYPES)}\n")
            for begin in itertools.count():
                file.write(call.replace("BEGIN", str(begin)))
    except OSError as error:
        raise NativeError(str(error)) from error


def failing(trace: str, form: str, pipe: str) -> None:
    """Writes a thousand rows, and then finds that the trace cannot be read."""
    with open(pipe, "w", encoding="ascii") as file:
        file.write(f"{','.join(TYPES)}\n")
        file.write("0,0,1,2,MPI_Comm_rank,,,,,,,,,0,0,,true,1,0\n" * 1000)
    raise NativeError("trace.ww: input/output error")


def await_no_feeding() -> None:
    deadline = time.monotonic() + 60
    while any(thread.name == "calls" for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "a thread still feeds calls that nobody reads"
        time.sleep(0.01)


def test_calls_come_as_they_are_requested(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first calls of an endless trace can be read; a reader who stops leaves nothing open."""
    monkeypatch.setattr("waywiser.api.calls.native.export_trace", endless)
    before = len(os.listdir("/proc/self/fd"))
    rows = iter(run.calls)

    assert [next(rows)["begin_ns"] for _ in range(3)] == [0, 0, 0]

    del rows
    await_no_feeding()
    assert len(os.listdir("/proc/self/fd")) == before


def test_arrow_takes_calls_as_they_are_requested(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waywiser.api.calls.native.export_trace", endless)
    frame = run.calls

    with duckdb.connect() as database:
        database.register("calls", frame)
        rows = database.execute("SELECT begin_ns FROM calls LIMIT 3").fetchall()

    assert rows == [(0,), (0,), (0,)]
    await_no_feeding()


def test_a_trace_that_cannot_be_read_to_its_end_is_no_shorter_one(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waywiser.api.calls.native.export_trace", failing)

    with pytest.raises(Exception, match=r"trace\.ww: input/output error"):
        polars.DataFrame(run.calls)


def test_a_run_without_a_trace_says_how_to_record_one(tmp_path: Path) -> None:
    RunDirectory(tmp_path).write_run(synthetic.run(4))
    write_profile(synthetic.large_profile(4), str(tmp_path / "profile.ww"))
    run = ww.open(tmp_path)
    assert isinstance(run, Run)

    assert len(list(run.call_sites)) == len(run.summary.call_sites) > 0
    for name in ("calls", *(name for name, table in TABLES.items() if table.traced)):
        with pytest.raises(InvalidRun, match="has no trace; record one with waywiser profile"):
            getattr(run, name)


STUDY = """\
title = "two variables of which one has the name of a column"
mpi = ["mpich"]
[application.a]
reader = "lammps"
program = "lmp"
[axes]
ranks = [1, 2]
configuration = ["x", 3]
[repeats]
blocks = 2
"""
FAILURE = "there is no loop_time in stdout"


def test_a_study_has_its_runs_with_the_values_of_their_configurations(tmp_path: Path) -> None:
    study, directory = parse_study(STUDY, "study.toml"), StudyDirectory(tmp_path / "a.study")
    configurations = [configuration.name for configuration in configurations_of(study)]
    directory.create()
    directory.write_plan(STUDY, dict.fromkeys(configurations, ""), tmp_path)
    truth = synthetic_study.Truth(failures={(configurations[0], 1): FAILURE})
    for created in synthetic_study.runs(study, truth):
        assert created.result is not None
        place = Place(created.result.configuration, created.result.block)
        directory.run(place).mkdir(parents=True)
        directory.write(place, created)

    opened = ww.open(directory.path)
    assert isinstance(opened, Study)
    runs = list(opened.runs)

    assert [(row["configuration"], row["block"]) for row in runs] == [
        (name, block) for name in sorted(configurations) for block in range(3)
    ]
    assert {(row["ranks"], row["axis_configuration"]) for row in runs} == {
        (ranks, configuration) for ranks in (1, 2) for configuration in ("x", "3")
    }
    (failed,) = (row for row in runs if row["failures"])
    assert (failed["configuration"], failed["block"], failed["failures"]) == (
        configurations[0],
        1,
        FAILURE,
    )
    assert [row["valid"] for row in runs] == [
        row["block"] > 0 and row is not failed for row in runs
    ]
    metrics = by(opened.metrics, "configuration", "block", "name")
    for row in runs:
        if row["value"] is not None:
            metric = metrics[row["configuration"], row["block"], row["headline"]]
            assert (metric["value"], metric["unit"]) == (row["value"], row["unit"])
    assert metrics[configurations[0], 2, "mpi_share"]["value"] > 0
    assert [str(opened_run.directory) for opened_run in opened] == [
        row["directory"] for row in runs
    ]
    assert polars.DataFrame(opened.runs).to_dicts() == runs


def test_what_is_no_run_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidRun, match="absent: directory not found; give a run"):
        ww.open(tmp_path / "absent")
    with pytest.raises(InvalidRun):
        ww.open(str(tmp_path))


def test_a_run_has_each_table_under_its_name() -> None:
    for name, table in TABLES.items():
        about = inspect.getdoc(getattr(Run, name).func)
        assert about is not None
        assert about.startswith(table.about), name


def test_the_names_of_the_package_are_typed_and_found() -> None:
    text = (ROOT / "src" / "waywiser" / "__init__.py").read_text(encoding="utf-8")
    typed = re.findall(r"^    from waywiser\.([\w.]+) import (\w+) as (\w+)$", text, re.M)

    assert {name: module for module, name, _ in typed} == ww._MODULES
    for module, name, shown in typed:
        assert name == shown
        assert getattr(ww, name).__module__ == f"waywiser.{module}"


def test_the_reference_lists_each_column() -> None:
    text = (ROOT / "docs" / "reference" / "tables.md").read_text(encoding="utf-8")
    sections = {
        **{name: table.columns for name, table in TABLES.items()},
        "calls": CALLS,
        "runs": sql.RUNS,
        "study.runs": RUNS,
        "study.metrics": METRICS,
        **ANSWERS,
    }

    for name, columns in sections.items():
        (section,) = re.findall(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", section, re.M)
        assert rows == [(column, kind, about) for column, (kind, about) in columns.items()], name
    for name, table in TABLES.items():
        assert f"## {name}\n\n{table.about}" in text


def test_panda_types_keep_whole_numbers_that_are_missing(run: Run) -> None:
    assert run.ranks.to_pandas()["instructions"].dtype == pandas.Int64Dtype()
