"""Accounts of several files as one table of jobs: times in s, sizes, and lines that do not count.

DuckDB reads them, because a year of a large site has a million jobs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from waywiser.errors import InvalidCommand, not_read
from waywiser.machines.accounts.columns import Form, form_of
from waywiser.machines.accounts.slurm_json import HEADER, write_lines
from waywiser.units import count_text, counted

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NONE = -1
"""Value of a time or number that an account does not give."""

MOST_MEMORY = "600MB"
LONGEST_LINE = 1 << 20
_HEAD = 1 << 16

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Jobs:
    """Columns of the table, all of shape (jobs,); times in s since 1970 as the account tells them.

    Local times of `sacct -P` and jobcomp are taken as they stand; epochs are in UTC.
    """

    since: Integers
    """Time at which a job could have started: when it became eligible, else when it was
    submitted."""

    start: Integers
    """Start of a job; `NONE` if the job has not started, or was cancelled before its start."""

    finish: Integers
    """End of a job; for a job that has not started, the time at which it was cancelled."""

    nodes: Integers
    cores: Integers
    """Numbers of allocated nodes and cores; requested ones if the job has not started."""

    remarks: tuple[str, ...]
    """One sentence for each kind of line that does not count, or counts in part."""


ARRAYS = ("since", "start", "finish", "nodes", "cores")

REFUSED = {
    "fields": "other fields than its format has",
    "time": "a time that is not valid; unset SLURM_TIME_FORMAT",
    "elapsed": "an elapsed time that is none",
    "size": "a number of nodes or cores that is not whole; use `sacct --noconvert`",
    "step": "the number of a job's step; use `sacct -X`",
    "no size": "a job that started on no node or core",
    "order": "a job that starts before it is eligible, or ends before it starts",
}
"""Reason why a line does not count, by the word of the query."""

# A cast that fails takes ten times as long as one that does not, and IN is a join for each column.
_MACROS = r"""
CREATE MACRO untold(x) AS
    (x IS NULL OR x = '' OR x = '0' OR x = 'Unknown' OR x = 'None' OR x = 'N/A');
CREATE MACRO moment(x) AS CASE WHEN untold(x) THEN NULL ELSE greatest(coalesce(nullif(
    CASE WHEN length(x) >= 20 THEN NULL
    WHEN contains(x, 'T') THEN epoch(try_strptime(x, '%Y-%m-%dT%H:%M:%S'))::BIGINT
    ELSE TRY_CAST(x AS BIGINT) END, 0), -1), -1) END;
CREATE MACRO spent(t) AS
    ((coalesce(TRY_CAST(t.d AS BIGINT), 0) * 24 + coalesce(TRY_CAST(t.h AS BIGINT), 0)) * 60
    + TRY_CAST(t.m AS BIGINT)) * 60 + TRY_CAST(t.s AS BIGINT);
CREATE MACRO duration(x) AS CASE WHEN untold(x) AND x IS DISTINCT FROM '0' THEN NULL ELSE
    coalesce(TRY_CAST(x AS INTEGER), spent(regexp_extract(x,
    '^(?:(?:(\d{1,6})-)?(\d{1,6}):)?(\d{1,6}):(\d{1,6})(?:\.\d+)?$', ['d', 'h', 'm', 's'])), -1)
    END;
CREATE MACRO amount(x) AS
    CASE WHEN untold(x) THEN NULL ELSE coalesce(TRY_CAST(x AS INTEGER), -1) END;
CREATE TABLE jobs (key UBIGINT, since BIGINT, start BIGINT, finish BIGINT, nodes BIGINT,
    cores BIGINT);
"""

LATEST = 4_102_444_800
"""First time that is not valid: the year 2100."""

_PARSED = """
CREATE OR REPLACE TEMP TABLE parsed AS
WITH told AS (
    SELECT number, refused, if(untold(id), NULL, hash(id, cluster)) AS key,
        upper(string_split(state, ' ')[1]) AS word,
        moment(submit) AS submit, moment(eligible) AS eligible, moment(start) AS start,
        moment(finish) AS finish, duration(elapsed) AS elapsed,
        amount(nodes) AS nodes, amount(cores) AS cores,
        amount(asked_nodes) AS asked_nodes, amount(asked_cores) AS asked_cores
    FROM ({query})
), begun AS (
    SELECT *, coalesce(eligible, submit) AS since, CASE WHEN word = 'PENDING'
        OR (word = 'CANCELLED' AND coalesce(finish = start, false)
            AND coalesce(nodes, 0) = 0 AND coalesce(cores, 0) = 0) THEN NULL ELSE start END AS began
    FROM told
), ended AS (
    SELECT *, CASE WHEN began IS NULL THEN finish WHEN {ends} IS NULL THEN NULL
        ELSE began + coalesce(elapsed, finish - began) END AS done FROM begun
)
SELECT number, key, since, began AS start, done AS finish,
    if(began IS NULL, coalesce(nullif(nodes, 0), asked_nodes), nodes) AS nodes,
    if(began IS NULL, coalesce(nullif(cores, 0), asked_cores), cores) AS cores,
    CASE WHEN refused IS NOT NULL THEN refused
    WHEN least(submit, eligible, start, finish) < 0
        OR greatest(submit, eligible, start, finish) >= {latest} THEN 'time'
    WHEN elapsed < 0 THEN 'elapsed'
    WHEN least(nodes, cores, asked_nodes, asked_cores) < 0 THEN 'size'
    WHEN began IS NOT NULL AND coalesce(nodes, 0) = 0 AND coalesce(cores, 0) = 0 THEN 'no size'
    WHEN done < coalesce(began, since) OR began < since THEN 'order' END AS refused
FROM ended
"""

_MERGE = """
CREATE OR REPLACE TABLE jobs AS
SELECT * FROM jobs QUALIFY key IS NULL OR (
    row_number() OVER (PARTITION BY key, start, if(start IS NULL, since, NULL)
        ORDER BY finish NULLS LAST) = 1
    AND NOT (start IS NULL AND finish IS NULL
        AND coalesce(max(start) OVER (PARTITION BY key), -1) >= coalesce(since, 0)))
"""
"""Removal of duplicates: a job that ran or waited at midnight is in the files of two months."""


def read_accounts(paths: Sequence[Path]) -> Jobs:
    """
    Raises:
        InvalidCommand: a file cannot be read, or is not job accounting; or no job is left.
    """
    import duckdb  # takes 0.2 s, so only this action imports it

    with (
        tempfile.TemporaryDirectory(prefix="waywiser-") as directory,
        closing(duckdb.connect()) as db,
    ):
        db.execute(f"SET temp_directory = '{directory}'; SET memory_limit = '{MOST_MEMORY}'")
        db.execute(f"SET threads = 2; SET enable_progress_bar = false; {_MACROS}")
        remarks: list[str] = []
        for path in paths:
            try:
                remarks += (f"{path.name}: {text}" for text in _add(db, path))
            except OSError as error:
                raise InvalidCommand(not_read(path, error)) from error
            except duckdb.Error as error:
                raise InvalidCommand(f"{path}: not an account: {_first_line(error)}") from error
        remarks += _merged(db)
        remarks += _partial(db)
        columns = (f"coalesce({name}, {NONE}) AS {name}" for name in ARRAYS)
        fetched = db.execute(f"SELECT {', '.join(columns)} FROM jobs ORDER BY ALL").fetchnumpy()
    if not len(fetched["since"]):
        raise InvalidCommand("; ".join([f"{paths[0]}: no job is counted", *remarks]))
    arrays = {name: np.asarray(array, np.int64) for name, array in fetched.items()}
    return Jobs(**arrays, remarks=tuple(remarks))


def _add(db: DuckDBPyConnection, path: Path) -> Iterator[str]:
    """Add a file's jobs, and yield a sentence for each kind of line that is left out."""
    with path.open("rb") as file:
        head = file.read(_HEAD).removeprefix(b"\xef\xbb\xbf").decode("latin-1")
        if not head.lstrip().startswith("{"):
            first = head.partition("\n")[0].rstrip("\r")
            yield from _add_lines(db, file.fileno(), form_of(path, first), "line")
            return
    with tempfile.TemporaryFile("w", encoding="utf-8") as lines:
        write_lines(path, lines)
        lines.flush()
        yield from _add_lines(db, lines.fileno(), form_of(path, HEADER), "job")


def _add_lines(db: DuckDBPyConnection, file: int, form: Form, noun: str) -> Iterator[str]:
    """
    Args:
        file: its descriptor, because in a name DuckDB would expand patterns.
    """
    # Names of jobs are in any encoding; in Latin-1 each byte is a letter.
    lines = (
        "SELECT if(suffix(line, chr(13)), rtrim(line, chr(13)), coalesce(line, '')) AS line,"
        " row_number() OVER () AS number"
        f" FROM read_csv('/dev/fd/{file}', auto_detect=false, header=false, delim='\x01',"
        " quote='', escape='', strict_mode=false, null_padding=true, encoding='latin-1',"
        f" max_line_size={LONGEST_LINE}, skip={form.header_lines}, columns={{'line': 'VARCHAR'}})"
    )
    db.execute(f"CREATE OR REPLACE TEMP VIEW lines AS {lines}")
    ends = "finish" if form.tells_end else "elapsed"
    db.execute(_PARSED.format(query=form.query, ends=ends, latest=LATEST))
    db.execute(
        f"INSERT INTO jobs SELECT key, {', '.join(ARRAYS)} FROM parsed WHERE refused IS NULL"
    )
    refused = db.execute(
        "SELECT refused, count(*), min(number) FROM parsed"
        " WHERE refused IS NOT NULL AND refused <> 'skipped' GROUP BY refused ORDER BY 3"
    ).fetchall()
    before = form.header_lines if noun == "line" else 0
    for why, count, number in refused:
        first = f"{noun} {before + number}"
        if count == 1:
            yield f"{first} is not counted; it has {REFUSED[why]}"
        else:
            many = f"{count_text(count)} {noun}s are not counted, {first} the first"
            yield f"{many}; each has {REFUSED[why]}"


def _merged(db: DuckDBPyConnection) -> Iterator[str]:
    before = _count(db, "finish IS NOT NULL")
    db.execute(_MERGE)
    if repeated := before - _count(db, "finish IS NOT NULL"):
        yield f"{_counting(repeated, 'repeated job')} once"


def _partial(db: DuckDBPyConnection) -> Iterator[str]:
    if running := _count(db, "start IS NOT NULL AND finish IS NULL"):
        yield f"{_counting(running, 'job', ' without an end')} in waiting, not in use or slowdown"
    if unknown := _count(db, "since IS NULL"):
        without = " without Eligible and Submit"
        yield f"{_counting(unknown, 'job', without)} in use, not in waiting or slowdown"


def _counting(count: int, noun: str, which: str = "") -> str:
    return f"{counted(count, noun)}{which} {'counts' if count == 1 else 'count'}"


def _count(db: DuckDBPyConnection, condition: str) -> int:
    row = db.execute(f"SELECT count(*) FROM jobs WHERE {condition}").fetchone()
    return int(row[0]) if row else 0


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0]
