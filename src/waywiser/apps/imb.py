"""Intel MPI Benchmarks: the tables of every suite (IMB 2021 user guide, "Output").

A benchmark that runs into its time limit leaves a row `0 time-out.` and the exit code 0.
"""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.benchmark_tables import HEADLINE, UNITS, Table
from waywiser.apps.text import whole_lines
from waywiser.model.reading import Reading
from waywiser.units import counted

END = "# All processes entering MPI_Finalize"
BENCHMARK = re.compile(r"^# Benchmarking (\S+)")
RANKS = re.compile(r"^# #processes = (\d+)")
MODE = re.compile(r"^# +MODE: (\S+)")
COLUMN = re.compile(r"([^\s\[]+)\[?([^\s\]]*)\]?")
NOT_RESULTS = ("#bytes", "#repetitions")


def _columns(header: str) -> list[tuple[str, str]]:
    """Return name and unit of each result in the header. For example, "#bytes #repetitions
    t_avg[usec] Mbytes/sec" gives (t_avg, us), (bandwidth, MB/s)."""
    columns = []
    for name, unit in COLUMN.findall(header):
        if name in NOT_RESULTS:
            continue
        if unit:
            columns.append((name, UNITS.get(unit, unit)))
        else:
            rate = UNITS.get(name, name)
            columns.append(("bandwidth" if rate == "MB/s" else "message_rate", rate))
    return columns


def _tables(text: str) -> list[Table]:
    tables: list[Table] = []
    name, ranks, header = "", None, ""
    for line in text.splitlines():
        benchmark, processes, mode = BENCHMARK.match(line), RANKS.match(line), MODE.match(line)
        words = line.split()
        if benchmark:
            name, ranks, header = benchmark[1], None, ""
        elif processes:
            ranks = int(processes[1])
        elif mode:
            name = f"{name} {mode[1]}"
        elif "#repetitions" in words:
            header = line
            tables.append(Table(name, _columns(header), ranks))
        elif header and words and not line.startswith("#"):
            if "time-out." in line:
                raise NoResult(f"IMB gave {name} up: a row of its table reads 'time-out.'")
            size = words.pop(0) if header.split()[0] == "#bytes" else "0"
            if len(words) != 1 + len(tables[-1].columns):
                raise NoResult(f"IMB: a row of {name} reads {line.strip()[:80]!r}")
            tables[-1].add(size, words[1:])
    return tables


def _main_column(table: Table) -> int:
    """Return the column of the mean over the ranks, if there is one; else the first time."""
    names = [name for name, _ in table.columns]
    return names.index("t_avg") if "t_avg" in names else 0


def read(output: Output) -> Reading:
    text = whole_lines(output.stdout)
    tables = _tables(text)
    if END not in text:
        raise NoResult(f"IMB did not finish: standard output has no line '{END}'")
    empty = [table.name for table in tables if not table.rows or not table.columns]
    if empty or not tables:
        raise NoResult(
            f"IMB: no {HEADLINE}, for {', '.join(empty) or 'it'} left no table with rows"
        )
    largest: dict[str, Table] = {}
    for table in tables:
        known = largest.setdefault(table.name, table)
        if (table.ranks or 0) > (known.ranks or 0):
            largest[table.name] = table
    first = next(iter(largest.values()))
    metrics = [first.small_message(_main_column(first))]
    for table in largest.values():
        metrics += table.metrics(_main_column(table))
    taken = f"IMB ran {counted(len(largest), 'benchmark')}; {HEADLINE} is that of {first.name}."
    return Reading(
        metrics=tuple(metrics),
        series=tuple(series for table in tables for series in table.series()),
        remarks=(taken,) if len(largest) > 1 else (),
    )


IMB = Application(
    name="imb",
    title="Intel MPI Benchmarks",
    headline=HEADLINE,
    reader=read,
    version=r"^# +Intel\(R\) MPI Benchmarks (\S+?),",
    documents="standard output: every table, with the most ranks as metrics `allreduce_8_b`, …",
    success=f"`{END}`, and nowhere `time-out.`",
)
