"""A table that pandas, polars and any other library that reads Arrow can use directly.

DuckDB, which Waywiser needs anyway, exports the tables, so that no library of data frames is
required.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import duckdb
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas
    import polars

Column = NDArray[Any]


class Source(NamedTuple):
    """Source of the rows: a database and a query."""

    database: duckdb.DuckDBPyConnection
    query: str


Opened = Callable[[], AbstractContextManager[Source]]

SHOWN_ROWS = 20
"""Number of rows that `print` and a notebook show, below the names of the columns."""

ROWS_AT_A_TIME = 10_000

FORMATS = {"csv": "FORMAT csv, HEADER", "parquet": "FORMAT parquet, COMPRESSION zstd"}
"""Format of files -> its options in DuckDB's COPY."""

SETTINGS: dict[str, Any] = {
    "threads": 1,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}
"""One thread keeps rows in order; nothing is fetched from a network."""


@cache
def _duckdb() -> duckdb.DuckDBPyConnection:
    """The database of this process, in memory: opening another takes longer than filling it."""
    atexit.register(_duckdb.cache_clear)
    return duckdb.connect(config=SETTINGS)


def connected() -> duckdb.DuckDBPyConnection:
    """A new connection, with which its temporary tables end."""
    return _duckdb().cursor()


class Frame:
    """Named columns of equal length, read anew for each reader.

    Args:
        columns: name -> SQL type.
        opened: opens the rows; it is called once for each reader.
    """

    def __init__(self, columns: Mapping[str, str], opened: Opened) -> None:
        self.columns = dict(columns)
        self.opened = opened

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as a stream of record batches: Arrow's PyCapsule interface."""
        with self.opened() as (database, query):
            return database.sql(query).__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows one by one, each as column -> value; few rows are in memory at a time."""
        with self.opened() as (database, query):
            result = database.execute(query)
            while rows := result.fetchmany(ROWS_AT_A_TIME):
                for row in rows:
                    yield dict(zip(self.columns, row, strict=True))

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame of pandas, which must be installed."""
        with self.opened() as (database, query):
            return database.execute(query).df()

    def to_polars(self) -> polars.DataFrame:
        """A data frame of polars, which must be installed."""
        import polars

        return polars.DataFrame(self)

    def to_bytes(self, form: Literal["csv", "parquet"]) -> bytes:
        """The rows as the contents of a file in that format."""
        with (
            self.opened() as (database, query),
            TemporaryDirectory(prefix="waywiser-") as directory,
        ):
            file = Path(directory, "rows")
            database.execute(f"COPY ({query}) TO '{file}' ({FORMATS[form]})")
            return file.read_bytes()

    def to_dict(self) -> dict[str, Column]:
        """Column -> its values as an array of NumPy, masked if values are missing."""
        with self.opened() as (database, query):
            arrays: dict[str, Column] = database.execute(query).fetchnumpy()
            return arrays

    def __repr__(self) -> str:
        columns = ", ".join(f"{name} {kind}" for name, kind in self.columns.items())
        return f"Frame({columns})"

    def __str__(self) -> str:
        """The first rows as `waywiser sql` prints them."""
        rows = self._first_rows()
        rest = f"\nThe first {SHOWN_ROWS} rows." if len(rows) > SHOWN_ROWS else ""
        return aligned([*self.columns], rows[:SHOWN_ROWS]) + rest

    def _first_rows(self) -> list[tuple[Any, ...]]:
        """The rows that are shown, and one more if there are more."""
        with self.opened() as (database, query):
            return database.execute(query).fetchmany(SHOWN_ROWS + 1)

    def _repr_html_(self) -> str:
        """The HTML that a notebook shows, with the first rows."""
        rows = self._first_rows()
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(_cell(value))}</td>' for value in row)}</tr>"
            for row in rows[:SHOWN_ROWS]
        )
        rest = f"<p>The first {SHOWN_ROWS} rows.</p>" if len(rows) > SHOWN_ROWS else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def aligned(columns: Sequence[str], rows: Iterable[Iterable[object]]) -> str:
    """Rows below the names of their columns, as text."""
    cells = [columns, *([*map(_cell, row)] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in cells)


def frame_of(columns: Mapping[str, str], values: Mapping[str, Column]) -> Frame:
    """A frame of arrays that are in memory.

    Args:
        columns: name -> SQL type.
        values: an array for each column; in an array of objects, None is a missing value.
    """

    @contextmanager
    def opened() -> Iterator[Source]:
        database = connected()
        insert(database, "made", columns, values)
        yield Source(database, "SELECT * FROM made")

    return Frame(columns, opened)


def frame_of_rows(columns: Mapping[str, str], rows: list[tuple[Any, ...]]) -> Frame:
    """A table of rows with a value for each column."""
    return frame_of(columns, columns_of(columns, rows))


def columns_of(names: Mapping[str, str], rows: list[tuple[Any, ...]]) -> dict[str, Column]:
    """Column -> its values in all rows."""
    columns = zip(*rows, strict=True) if rows else ((),) * len(names)
    return {name: _objects(column) for name, column in zip(names, columns, strict=True)}


def _objects(values: tuple[Any, ...]) -> Column:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def insert(
    database: duckdb.DuckDBPyConnection,
    name: str,
    columns: Mapping[str, str],
    values: Mapping[str, Column],
) -> None:
    """Adds rows to a temporary table, which is created if it does not exist."""
    typed = ", ".join(f"{_quoted(column)} {kind}" for column, kind in columns.items())
    database.execute(f"CREATE TEMP TABLE IF NOT EXISTS {_quoted(name)} ({typed})")
    arrays = {f"c{i}": values[column] for i, column in enumerate(columns)}
    database.register("given", arrays)
    try:
        database.execute(f"INSERT INTO {_quoted(name)} SELECT {', '.join(arrays)} FROM given")
    finally:
        database.unregister("given")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
