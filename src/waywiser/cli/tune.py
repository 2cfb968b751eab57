"""`waywiser tune LIBRARY`: finds its fastest collective algorithms and writes its tuning file."""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from waywiser import __version__
from waywiser.analyse.gate import gate_of_all
from waywiser.analyse.judged import judged
from waywiser.analyse.study import analyse_study
from waywiser.analyse.tuning import (
    OWN,
    of_collective,
    winner_everywhere,
    winners,
    winners_everywhere,
)
from waywiser.cli.arguments import REQUIRED, declare, named
from waywiser.cli.refusals import of_verdicts
from waywiser.errors import InvalidCommand, NotEnoughData
from waywiser.launch.tuning.tuner import Algorithm, Rule, Tuner, joined
from waywiser.launch.tuning.tuners import TUNERS
from waywiser.model.findings import Findings
from waywiser.model.gate import OPEN, Gate
from waywiser.model.judged import Comparison
from waywiser.model.reading import mpi_name
from waywiser.model.tuning import MOST_BYTES, Proof, TunedRange, Tuning
from waywiser.report.answers.tuning import shell_text, tuning_text
from waywiser.store.durable import write_output
from waywiser.study.campaign import Campaign
from waywiser.study.launchers import launcher_of
from waywiser.study.local import run_study
from waywiser.study.status import finished
from waywiser.study.tuning import Bench, write_study
from waywiser.units import counted, size_text

COLLECTIVES = (
    *("allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce"),
    *("reduce_scatter_block", "scatter"),
)
Judged = list[tuple[int, Comparison]]


@dataclass(frozen=True)
class Swept:
    """A collective whose algorithms were measured."""

    collective: str
    program: Path
    """The program that measured them."""

    algorithms: dict[str, Algorithm]
    judged: Judged
    failed: tuple[str, ...] = ()
    """Algorithms without a valid run."""

    gate: Gate = OPEN


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Measure every algorithm of an MPI library's collectives against the "
        "library's own choice, write the library's tuning file for those that are significantly "
        "faster, and verify it by further runs. An interrupted command resumes where it stopped."
    )
    declare(
        parser,
        f"""
        library LIBRARY  MPI library to tune: {", ".join(TUNERS)}
        --ranks N  number of ranks
        --nodes N  number of nodes (default: %(default)s)
        --collectives NAME,…  collectives to tune (default: {", ".join(COLLECTIVES)})
        --sizes MIN:MAX  smallest and largest message in bytes (default: %(default)s)
        --iterations N  iterations of ww-mpibench
        --blocks N  number of runs of each algorithm (default: 10 to 16, as many as the comparisons
            need)
        --launcher FILE  path of the library's mpirun
        --program FILE  path of ww-mpibench, built for this library
        -o, --output DIR  directory for the studies and files
        --json  print one JSON document
        """,
        {
            int: "ranks nodes iterations blocks",
            lambda text: text.split(","): "collectives",
            named: "output",
        },
        {
            "library": {"choices": TUNERS},
            "ranks": REQUIRED,
            "nodes": 1,
            "collectives": COLLECTIVES,
            "sizes": "64:1048576",
            "iterations": 0,
            "launcher": "",
            "program": "",
            "output": REQUIRED,
        },
    )


def run(arguments: argparse.Namespace) -> int:
    _refuse(arguments)
    directory: Path = arguments.output
    directory.mkdir(parents=True, exist_ok=True)
    tuner, bench = TUNERS[arguments.library], _bench(arguments)
    swept = [_sweep(tuner, bench, name, directory) for name in arguments.collectives]
    tuning = _tuning(tuner, bench, swept, directory)
    if tuning.environment:
        tuning = _proved(tuning, bench, directory)
        write_output(Path(tuning.file), shell_text(tuning))
    print(tuning.model_dump_json(indent=1) if arguments.json else tuning_text(tuning))
    return of_verdicts(tuning.gate, tuning.compared - tuning.refused)


def _refuse(arguments: argparse.Namespace) -> None:
    """Refuses arguments that cannot work, before the first run."""
    for name in arguments.collectives:
        if name not in COLLECTIVES:
            raise InvalidCommand(
                f"--collectives: {name!r} cannot be tuned; these can: {', '.join(COLLECTIVES)}"
            )
    if arguments.ranks < 2:
        raise InvalidCommand(f"--ranks {arguments.ranks}: collectives take 2 ranks or more")
    if arguments.nodes < 1 or arguments.ranks % arguments.nodes:
        raise InvalidCommand(
            f"--nodes {arguments.nodes}: expected a divisor of --ranks {arguments.ranks}"
        )
    if arguments.blocks is not None and arguments.blocks < 1:
        raise InvalidCommand(f"--blocks {arguments.blocks}: give 6 or more for verdicts")
    if not re.fullmatch(r"\d+(:\d+|(,\d+)*)", arguments.sizes):
        raise InvalidCommand(
            f"--sizes {arguments.sizes!r}: give MIN:MAX in bytes, or sizes with commas"
        )
    low, _, high = arguments.sizes.partition(":")
    if high and int(low) > int(high):
        raise InvalidCommand(f"--sizes {arguments.sizes}: MAX is less than MIN")


def _bench(arguments: argparse.Namespace) -> Bench:
    def absolute(name: str) -> str:
        return str(Path(name).absolute()) if "/" in name else name

    return Bench(
        library=arguments.library,
        launcher=absolute(arguments.launcher),
        program=absolute(arguments.program),
        ranks=arguments.ranks,
        nodes=arguments.nodes,
        sizes=arguments.sizes,
        iterations=arguments.iterations,
        blocks=arguments.blocks or 0,
    )


def _sweep(tuner: Tuner, bench: Bench, collective: str, directory: Path) -> Swept:
    """Runs every algorithm of a collective and the library's own choice, and compares them."""
    file = directory / f"{collective}.toml"
    plain = write_study(file, "", bench, [collective], "algorithm", {OWN: {}})
    launcher = launcher_of(bench.library, plain.study.mpi[bench.library], directory)
    if launcher.kind.library not in ("", bench.library):
        raise InvalidCommand(
            f"--launcher {launcher.path} is that of {launcher.kind.name}; give {bench.library}'s"
        )
    program = launcher.path.parent / "ww-mpibench"
    if bench.program:
        program = Path(shutil.which(bench.program) or bench.program)
    known = [
        algorithm
        for algorithm in tuner.algorithms(launcher.path, collective)
        if tuner.takes(program, collective, algorithm)
    ]
    if not known:
        file.unlink()
        return Swept(collective, program, {}, [])
    levels: dict[str, dict[str, str]] = {OWN: {}}
    levels |= {algorithm.name: tuner.force(collective, algorithm) for algorithm in known}
    title = f"Algorithms of {collective} in {bench.library}"
    campaign = write_study(file, title, bench, [collective], "algorithm", levels)
    findings = _findings(campaign)
    failed = tuple(
        configuration.label for configuration in findings.configurations if configuration.runs == 0
    )
    judged = of_collective(findings, collective)
    algorithms = {algorithm.name: algorithm for algorithm in known}
    return Swept(collective, program, algorithms, judged, failed, findings.gate)


def _findings(campaign: Campaign) -> Findings:
    """Makes the runs that are missing.

    Raises:
        NotEnoughData: the study has no valid run.
    """
    tally = run_study(campaign)
    runs = list(finished(campaign).values())
    try:
        return analyse_study(campaign.study, runs)
    except NotEnoughData as error:
        why = next(
            (run.result.failures[0] for run in runs if run.result and run.result.failures), ""
        )
        raise NotEnoughData(
            f"{campaign.study.title}: {counted(tally.failed, 'run')} failed"
            + (f", the first because {why}" if why else "")
        ) from error


def _tuning(tuner: Tuner, bench: Bench, swept: Sequence[Swept], directory: Path) -> Tuning:
    ranges = [tuned_range for sweep in swept for tuned_range in _ranges_of(tuner, sweep)]
    rules = [
        Rule(
            tuned_range.collective,
            bench.ranks,
            tuned_range.first,
            tuned_range.last,
            Algorithm(tuned_range.algorithm, tuned_range.value),
        )
        for tuned_range in ranges
    ]
    compared = [comparison for sweep in swept for _, comparison in sweep.judged]
    refused = [comparison for comparison in compared if comparison.kind == "refused"]
    return Tuning(
        waywiser=__version__,
        library=bench.library,
        ranks=bench.ranks,
        nodes=bench.nodes,
        gate=gate_of_all({mpi_name(sweep.collective): sweep.gate for sweep in swept}),
        compared=len(compared),
        refused=len(refused),
        reason=refused[0].reason if refused else "",
        failed=tuple(
            f"{mpi_name(sweep.collective)}: {name}" for sweep in swept for name in sweep.failed
        ),
        ranges=tuple(ranges),
        environment=tuner.write(swept[0].program, rules, directory) if rules else {},
        file=str(directory / f"{bench.library}-tuned.sh") if rules else "",
        proof=(),
        directory=str(directory),
    )


def _by_size(swept: Swept) -> list[TunedRange]:
    return _ranges(swept, winners(swept.judged))


def _ranges(swept: Swept, won: Mapping[int, Comparison]) -> list[TunedRange]:
    chosen = {size: swept.algorithms[str(comparison.candidate)] for size, comparison in won.items()}
    sizes = sorted({size for size, _ in swept.judged})
    return [
        _range(
            swept.collective,
            first,
            last,
            algorithm,
            {size: comparison for size, comparison in won.items() if first <= size <= last},
        )
        for first, last, algorithm in joined(sizes, chosen)
    ]


def _every_size(swept: Swept) -> list[TunedRange]:
    won = winners_everywhere(swept.judged)
    ranges = _ranges(swept, won)
    if not ranges:
        return []
    ranges[0] = ranges[0].replace(first=0)
    ranges[-1] = ranges[-1].replace(last=MOST_BYTES)
    return ranges


def _for_all(swept: Swept) -> list[TunedRange]:
    best = winner_everywhere(swept.judged)
    if best is None:
        return []
    algorithm = swept.algorithms[str(best.candidate)]
    verdicts = {
        size: comparison
        for size, comparison in swept.judged
        if comparison.candidate == best.candidate
    }
    return [_range(swept.collective, 0, MOST_BYTES, algorithm, verdicts)]


RANGES = {"some": _by_size, "every": _every_size}
"""Sizes that a library's rules may cover -> function that finds the ranges of message sizes."""


def _ranges_of(tuner: Tuner, swept: Swept) -> list[TunedRange]:
    return (_for_all if swept.collective in tuner.unsized else RANGES[tuner.covers])(swept)


def _range(
    collective: str, first: int, last: int, algorithm: Algorithm, verdicts: dict[int, Comparison]
) -> TunedRange:
    return TunedRange(
        collective=collective,
        first=first,
        last=last,
        algorithm=algorithm.name,
        value=algorithm.value,
        verdicts=tuple(
            f"{size_text(size)}: {comparison.sentence}" for size, comparison in verdicts.items()
        ),
    )


def _proved(tuning: Tuning, bench: Bench, directory: Path) -> Tuning:
    """Compare the tuned library with its own choice in new runs: the runs that chose the algorithms
    overrate them."""
    collectives = list(dict.fromkeys(tuned_range.collective for tuned_range in tuning.ranges))
    campaign = write_study(
        directory / "proof.toml",
        f"{bench.library}, tuned",
        bench,
        collectives,
        "tuning",
        {OWN: {}, "tuned": tuning.environment},
    )
    findings = _findings(campaign)
    proof = tuple(
        Proof(
            collective=name,
            bytes=size,
            **judged(comparison, f"{mpi_name(name)} of {size_text(size)}: {comparison.sentence}"),
        )
        for name in collectives
        for size, comparison in of_collective(findings, name)
        if any(r.collective == name and r.first <= size <= r.last for r in tuning.ranges)
    )
    gate = gate_of_all({"": tuning.gate, "the proof": findings.gate})
    return tuning.replace(gate=gate, proof=proof)
