"""Collect the system of a study: machine, libraries, programs and variables, as its runs recorded
them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from waywiser.analyse.samples import Sample, Samples, axis_text
from waywiser.model.findings import Setting
from waywiser.model.run import Machine, Run
from waywiser.units import size_text

HOSTS_NAMED = 8

MACHINE: tuple[tuple[str, Callable[[Machine], str]], ...] = (
    ("CPU", lambda m: m.cpu),
    ("Sockets, cores, hardware threads", lambda m: f"{m.sockets}, {m.cores}, {m.hardware_threads}"),
    ("SMT", lambda m: m.smt),
    ("Frequency governor", lambda m: m.governor),
    ("NUMA nodes", lambda m: str(m.numa_nodes)),
    ("Memory", lambda m: size_text(m.memory_bytes)),
    ("Operating system", lambda m: m.system),
    ("Kernel", lambda m: m.kernel),
)


def system(samples: Samples) -> tuple[Setting, ...]:
    """Return the rows of the table of the system; where runs differ, all their texts."""
    taken = [sample for group in samples.groups for sample in group.samples]
    runs = [sample.run for sample in taken]
    rows = [Setting(name="Nodes that started the runs", text=_hosts(runs))]
    rows += [
        Setting(name=name, text=_all(text(run.machine) for run in runs)) for name, text in MACHINE
    ]
    rows += _by_value(taken, "mpi", "MPI library", lambda run: _library(run))
    compared = samples.study.report.compare or "mpi"
    rows += _by_value(taken, compared, "Messages carried by", _transport)
    rows += _by_value(taken, "application", "Program", lambda run: run.program.path)
    rows += _versions(taken, compared)
    rows += _by_value(taken, "application", "Compiler", lambda run: run.program.compiler)
    rows += _by_value(taken, "mpi", "Variables", _variables)
    resources = samples.study.resources
    rows.append(Setting(name="Scheduler", text=resources.scheduler))
    rows += [
        Setting(name=name, text=text)
        for name, text in (
            ("Partition", resources.partition),
            ("Constraint", resources.constraint),
            ("Modules", " ".join(resources.modules)),
            *((f"Modules, {n}", " ".join(m.modules)) for n, m in samples.study.mpi.items()),
        )
        if text
    ]
    rows.append(Setting(name="Waywiser", text=_all(run.waywiser for run in runs)))
    return tuple(row for row in rows if row.text)


def _hosts(runs: Sequence[Run]) -> str:
    hosts = list(dict.fromkeys(run.machine.host for run in runs))
    rest = f" and {len(hosts) - HOSTS_NAMED} more" if len(hosts) > HOSTS_NAMED else ""
    return ", ".join(hosts[:HOSTS_NAMED]) + rest


def _all(texts: Iterator[str]) -> str:
    return "; ".join(dict.fromkeys(texts))


def _by_value(
    taken: Sequence[Sample], axis: str, name: str, text: Callable[[Run], str]
) -> list[Setting]:
    """Return a row for each value of an axis; one row if they agree."""
    by_value: dict[str, dict[str, None]] = {}
    for sample in taken:
        value = axis_text(axis, sample.result.values.get(axis, ""))
        by_value.setdefault(value, {})[text(sample.run)] = None
    texts = {
        value: "; ".join(filter(None, descriptions)) for value, descriptions in by_value.items()
    }
    if len(set(texts.values())) == 1:
        return [Setting(name=name, text=next(iter(texts.values())))]
    return [
        Setting(name=f"{name}, {value}", text=descriptions) for value, descriptions in texts.items()
    ]


def _versions(taken: Sequence[Sample], compared: str) -> list[Setting]:
    """Return versions of the programs and of their builds, for each side of the comparison."""
    versions = _by_value(taken, compared, "Version of the program", _version)
    return versions + _by_value(taken, compared, "Build of the program", _build)


def _version(run: Run) -> str:
    return run.result.reading.version if run.result else ""


def _build(run: Run) -> str:
    return run.program.build_id


def _library(run: Run) -> str:
    mpi = run.mpi
    transport = "" if mpi.transport == "unknown" else f" over {mpi.transport}"
    return f"{mpi.library} {mpi.version}{transport}"


def _transport(run: Run) -> str:
    """Return the transport as the program itself reports it; "" if unknown."""
    return run.result.reading.transport if run.result else ""


def _variables(run: Run) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(run.environment.items()))
