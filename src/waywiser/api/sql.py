"""SQL queries over the tables of many runs, with DuckDB."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb

from waywiser.api.frame import Column, Frame, Source, columns_of, connected, insert
from waywiser.api.run import Run
from waywiser.api.tables import TABLES
from waywiser.errors import InvalidCommand, InvalidRun, there_is_no
from waywiser.progress import steps
from waywiser.store.directory import RunDirectory
from waywiser.store.parquet import CALLS

RUN = {"run": ("VARCHAR", "directory of the run, as it was given or found")}
"""The first column of each table."""

RUNS = {
    "status": ("VARCHAR", "`complete` or `partial`"),
    "command": ("VARCHAR", "command that was run"),
    "started": ("VARCHAR", "when, as ISO 8601 has it"),
    "mpi": ("VARCHAR", "MPI library and version"),
    "ranks": ("BIGINT", "ranks"),
    "wall_seconds": ("DOUBLE", "longest time of a rank from MPI_Init to MPI_Finalize [s]"),
    "mpi_seconds": ("DOUBLE", "time in MPI, summed over ranks [s]"),
    "exit_code": ("BIGINT", "exit code of the program; null where nobody saw it"),
    "unreliable": ("BOOLEAN", "something else had the CPUs of the ranks as well"),
}
"""Columns of the table `runs`, after `run`."""

NAMES = ("runs", *TABLES, "calls")


def sql(query: str, *runs: str | os.PathLike[str]) -> Frame:
    """The answer to a query over the tables of these runs, or of all runs in these directories.

    Raises:
        InvalidRun: no run was found, or a run cannot be read.
        InvalidCommand: DuckDB refuses the query.
    """
    directories = [Run(path) for path in found_runs(map(Path, runs))]
    database = connected()
    words = set(re.findall(r"\w+", query.lower()))
    names = [name for name in NAMES if name in words]  # unused tables would only take time
    for name in names:
        _make(database, name)
    for run in steps("reading runs", directories, len(directories)):
        for name in names:
            _fill(database, name, run)
    # In parentheses, DuckDB accepts queries only; a final comment must not hide the parenthesis.
    statement = f"SELECT * FROM ({query.rstrip().removesuffix(';')}\n)"
    try:
        answer = database.sql(statement)
        types = {name: str(kind) for name, kind in zip(answer.columns, answer.types, strict=True)}
    except duckdb.Error as error:
        unknown = re.search(r"Table with name (\S+) does not exist", str(error))
        if unknown:  # DuckDB's own suggestion may be one of its internal tables
            raise InvalidCommand(there_is_no(f"table {unknown[1]}", NAMES)) from error
        raise InvalidCommand(
            f"{one_line(error)}; expected a query of {', '.join(NAMES)}"
        ) from error

    @contextmanager
    def opened() -> Iterator[Source]:
        yield Source(database, statement)

    return Frame(types, opened)


def one_line(error: duckdb.Error) -> str:
    """DuckDB's message without the excerpt of the query."""
    return " ".join(str(error).partition("\n\nLINE")[0].split())


def found_runs(directories: Iterable[Path]) -> list[Path]:
    """The runs among the directories and in them, ordered by name.

    Raises:
        InvalidRun: a directory neither is a run nor contains one.
    """
    runs: dict[Path, None] = {}
    for directory in directories:
        if (directory / "run.json").is_file():
            held = [directory]
        else:
            held = sorted(file.parent for file in directory.rglob("run.json"))
        if not held:
            raise InvalidRun(f"{directory}: no run found; give runs, or directories that hold runs")
        runs |= dict.fromkeys(held)
    return list(runs)


def _types(name: str) -> dict[str, str]:
    return {column: kind for column, (kind, _) in {**RUN, **columns(name)}.items()}


def _make(database: duckdb.DuckDBPyConnection, name: str) -> None:
    insert(database, name, _types(name), columns_of(_types(name), []))


def _fill(database: duckdb.DuckDBPyConnection, name: str, run: Run) -> None:
    """Adds the rows of a run to the table of that name."""
    if name == "runs":
        insert(database, name, _types(name), columns_of(_types(name), [_row(run)]))
    elif name == "calls":
        if RunDirectory(run.directory).trace.exists():
            _add_calls(database, run)
    else:
        values = TABLES[name].values(run.summary, TABLES[name].types)
        insert(database, name, _types(name), _with_run(run, values))


def _add_calls(database: duckdb.DuckDBPyConnection, run: Run) -> None:
    """Add the calls of a trace as a stream, so that Python never holds all rows in memory."""
    with run.calls.opened() as (_, query):
        database.execute(f"INSERT INTO calls SELECT ?, * FROM ({query})", [str(run.directory)])


def columns(name: str) -> Mapping[str, tuple[str, str]]:
    """The columns of a table after `run`."""
    if name == "calls":
        return CALLS
    return RUNS if name == "runs" else TABLES[name].columns


def _with_run(run: Run, values: Mapping[str, Column]) -> dict[str, Column]:
    rows = len(next(iter(values.values())))
    return {**columns_of({"run": RUN["run"][0]}, [(str(run.directory),)] * rows), **values}


def _row(run: Run) -> tuple[object, ...]:
    described, summary = run.description, run.summary
    return (
        *(str(run.directory), summary.status, " ".join(described.command)),
        described.started.isoformat(),
        f"{summary.mpi.library} {summary.mpi.version}",
        *(summary.ranks, summary.wall_seconds, sum(summary.mpi_seconds), summary.exit_code),
        bool(summary.gate.unreliable),
    )
