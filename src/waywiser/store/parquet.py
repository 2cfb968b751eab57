"""Calls of a trace as a Parquet file, which DuckDB writes from the rows of the CSV export."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from waywiser.errors import NotSaved

CALLS = {
    "rank": ("BIGINT", "rank in MPI_COMM_WORLD"),
    "thread": ("BIGINT", "thread of the rank, in the order of their first MPI calls"),
    "begin_ns": (
        "BIGINT",
        "start since the trace's start, on the clock of the reference host [ns]",
    ),
    "end_ns": ("BIGINT", "end, on the same clock [ns]"),
    "function": ("VARCHAR", "MPI function"),
    "site": ("VARCHAR", "place that it was called from"),
    "communicator": ("VARCHAR", "communicator, window or file"),
    "peer": ("BIGINT", "rank in MPI_COMM_WORLD that is sent to, or the root"),
    "tag": ("BIGINT", "tag of what is sent"),
    "source": ("BIGINT", "rank that a receive names; -2 for MPI_ANY_SOURCE"),
    "source_tag": ("BIGINT", "tag that a receive names; -2 for MPI_ANY_TAG"),
    "matched_source": ("BIGINT", "rank whose message was received"),
    "matched_tag": ("BIGINT", "tag of that message"),
    "bytes": ("BIGINT", "outgoing payload [B]"),
    "receive_bytes": ("BIGINT", "payload that a receive was posted for [B]"),
    "request": ("BIGINT", "number of the request that the call made"),
    "found": ("BOOLEAN", "a test or probe found something"),
    "polls": ("BIGINT", "calls that the row stands for: more than 1 for a run of polls"),
    "polling_ns": ("BIGINT", "time in these polls [ns]"),
}
"""Column -> type and meaning."""

TYPES = {column: kind for column, (kind, _) in CALLS.items()}


def write_parquet(write_csv: Callable[[str], None], output: Path) -> None:
    """Runs `write_csv` on the name of a pipe and stores the rows, a block at a time.

    Raises:
        NotSaved: `output` cannot be written.
        Exception: `write_csv` raised it.
    """
    import duckdb  # 0.2 s, which other exports save

    source, writing = os.pipe()

    def feed() -> None:
        try:
            write_csv(f"/dev/fd/{writing}")
        finally:
            os.close(writing)

    with ThreadPoolExecutor(1) as pool:
        rows = pool.submit(feed)
        try:
            with duckdb.connect() as database:
                database.execute(_copy(f"/dev/fd/{source}", output))
        except duckdb.Error as error:
            os.close(source)  # first, because the writer of a pipe waits for its reader
            if isinstance(failed := rows.exception(), BaseException) and "pipe" not in str(failed):
                raise failed from None
            raise NotSaved(f"{output} cannot be written: {_first_line(error)}") from error
        os.close(source)
        if rows.exception() is not None and output.is_file():
            output.unlink()  # the rows before the failure are not a result
        rows.result()


def reading(rows: str) -> str:
    """The query that reads the rows of `export_trace` in CSV, from a file or pipe."""
    return (
        f"SELECT * FROM read_csv('{rows}', auto_detect=false, header=true, delim=',',"
        f" quote='\"', escape='\"', nullstr='', parallel=false, columns={TYPES})"
    )


def _copy(rows: str, output: Path) -> str:
    target = str(output).replace("'", "''")
    return f"COPY ({reading(rows)}) TO '{target}' (FORMAT parquet, COMPRESSION zstd)"


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
