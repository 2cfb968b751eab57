"""`waywiser machine ACTION`: machines that are known, in numbers and pictures, and read in."""

from __future__ import annotations

import argparse
import datetime
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from waywiser.analyse.calibration import calibrated
from waywiser.analyse.gate import gate_of_launch
from waywiser.analyse.validation import validated
from waywiser.analyse.whatif.network import of_machine
from waywiser.analyse.whatif.recorded import read_base
from waywiser.cli.arguments import JSON, REQUIRED, add_action
from waywiser.cli.machine_usage import add_usage
from waywiser.errors import InvalidCommand
from waywiser.launch.rank_order import is_places
from waywiser.machines.candidates import candidates
from waywiser.machines.drawing import drawing_of
from waywiser.machines.formats import FORMATS, import_machine
from waywiser.machines.library import machine_from_text, read_machine
from waywiser.machines.metrics import compared, listed, machine_metrics
from waywiser.machines.places import places_text
from waywiser.machines.text import machine_text
from waywiser.measure.validation import run_programs
from waywiser.model.base import Model
from waywiser.model.machine import Machine
from waywiser.model.machine_metrics import MachineComparison
from waywiser.model.micro_benchmark import read_measurements
from waywiser.report.machines.calibration import calibration_text
from waywiser.report.machines.plot import machine_svg, plot_page
from waywiser.report.machines.terminal import comparison_text, list_text, metrics_text
from waywiser.report.machines.validation import validation_text
from waywiser.store.durable import STDOUT, beside, save_output
from waywiser.store.read import read_run

DRAWN_AS_TEXT = 64
"""Largest number of vertices of a machine that `show` draws without an option."""


MACHINE = "machine MACHINE  machine file, or the name of a machine that `list` shows"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Work with machine files, which describe nodes and their network "
        "(docs/machines.md). MACHINE is such a file, or the name of one that `list` shows."
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="machine_action")

    add = partial(add_action, actions)
    add("list", _list, "list the machines that come with Waywiser", JSON)
    add(
        "show",
        _show,
        "show a machine's metrics, and draw it if it is small",
        f"""
        {MACHINE}
        -o, --output FILE  draw the machine, as FILE.svg or FILE.html
        {JSON}
        """,
        {Path: "output"},
    )
    add(
        "places",
        _places,
        "write a machine's hosts and network for `--rerank`",
        f"""
        {MACHINE}
        -o, --output FILE.places  file to write; its name ends in .places
        """,
        {Path: "output"},
        {"output": REQUIRED},
        description="Write the hosts and the network of MACHINE for `waywiser profile --rerank`, "
        "`waywiser rerank` and `ww-exec --rerank` (docs/reranking.md).",
    )
    add(
        "compare",
        _compare,
        "compare topologies side by side",
        f"""
        {MACHINE.replace("machine", "machines", 1)}
        --nodes N  size each topology for N nodes
        --ports P  give each of their switches P ports (default: 36)
        {JSON}
        """,
        {int: "nodes ports"},
        {"machines": {"nargs": "*"}, "ports": 36},
        description="Compare machines, and topologies with room for N nodes, side by side.",
    )
    add(
        "import",
        _import,
        "write a machine file from what the site has",
        """
        file FILE  file to read
        --from  format of the input
        --node XML  describe the nodes by this output of `lstopo --of xml XML`
        --chassis-per-group N  chassis of a Slingshot group: 8, or 4 where a cabinet holds two
            groups
        -o, --output FILE  machine file to write (default: standard output)
        """,
        {Path: "file node output", int: "chassis-per-group"},
        {
            "from": {"dest": "form", "choices": FORMATS, "required": True},
            "chassis-per-group": {"choices": (1, 2, 4, 8)},
        },
        description="Write a machine file from topology.conf or `scontrol show topology` (slurm), "
        "the node names of an HPE Cray EX (slingshot), `ibnetdiscover`, or `lstopo --of"
        " xml` (hwloc).",
    )
    add(
        "calibrate",
        _calibrate,
        "determine a machine's LogGP parameters from measurements on it",
        f"""
        {MACHINE}
        files FILE  samples of ww-mpibench
        -o, --output NEW  machine file to write
        {JSON}
        """,
        {Path: "files output"},
        {"files": {"nargs": "+"}, "output": REQUIRED},
        description="Read what `ww-mpibench --benchmark loggp,latency,bandwidth,bibandwidth --json"
        " FILE` measured between two ranks of a node, between two nodes, or both (with "
        "one rank on each core: `--benchmark memory`), and write MACHINE with the "
        "LogGP parameters.",
    )
    add(
        "validate",
        _validate,
        "measure how far predictions on a machine are from reality",
        f"""
        {MACHINE}
        launch LAUNCHER  launcher with its options, behind `--`
        -o, --output NEW  machine file to write
        --runs DIR  keep the traced runs in this directory
        {JSON}
        """,
        {Path: "output runs"},
        {"launch": {"nargs": "+"}, "output": REQUIRED},
        description="Run several patterns and a workload under the profiler, replay each on "
        "MACHINE, and write MACHINE with the prediction errors, which `waywiser "
        "whatif` then quotes. Run it on an otherwise idle allocation.",
        epilog="example: waywiser machine validate ours.toml -o ours.toml -- mpirun -n 16",
    )
    add_usage(actions)


def _list(arguments: argparse.Namespace) -> int:
    machines = listed()
    print(machines.model_dump_json(indent=1) if arguments.json else list_text(machines))
    return 0


def _show(arguments: argparse.Namespace) -> int:
    machine = read_machine(arguments.machine)
    output: Path | None = arguments.output
    if output is not None:
        if output != STDOUT and output.suffix not in (".svg", ".html"):
            raise InvalidCommand(
                f"-o {output}: expected FILE.svg, FILE.html, or - for an SVG on standard output"
            )
        drawing = drawing_of(machine)
        save_output(output, (plot_page if output.suffix == ".html" else machine_svg)(drawing))
        _say_written(output, "")
        return 0
    metrics = machine_metrics(arguments.machine, machine)
    if arguments.json:
        print(metrics.model_dump_json(indent=1))
        return 0
    small = metrics.network.nodes + metrics.network.switches <= DRAWN_AS_TEXT
    print(metrics_text(metrics, drawing_of(machine) if small else None))
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    if not arguments.machines and arguments.nodes is None:
        raise InvalidCommand("machine compare: expected --nodes N, or machines to compare")
    sized = [] if arguments.nodes is None else candidates(arguments.nodes, arguments.ports)
    comparison = MachineComparison(
        nodes=arguments.nodes,
        ports=arguments.ports,
        networks=tuple(compared(candidate) for candidate in sized),
        machines=tuple(machine_metrics(name, read_machine(name)) for name in arguments.machines),
    )
    print(comparison.model_dump_json(indent=1) if arguments.json else comparison_text(comparison))
    return 0


def _import(arguments: argparse.Namespace) -> int:
    if arguments.chassis_per_group is not None and arguments.form != "slingshot":
        raise InvalidCommand("--chassis-per-group requires --from slingshot")
    machine = import_machine(
        arguments.form, arguments.file, arguments.node, arguments.chassis_per_group
    )
    text = machine_text(machine)
    machine_from_text(text, str(arguments.file))
    if arguments.output is None:
        print(text, end="")
        return 0
    save_output(arguments.output, text)
    _say_written(arguments.output, f": {machine.title}")
    return 0


def _calibrate(arguments: argparse.Namespace) -> int:
    measured = [measurement for path in arguments.files for measurement in read_measurements(path)]
    machine, report = calibrated(
        read_machine(arguments.machine), arguments.machine, measured, datetime.date.today()
    )
    text = machine_text(machine)
    machine_from_text(text, str(arguments.output))
    save_output(arguments.output, text)
    _say(calibration_text(report), report, arguments, machine)
    return 0


def _validate(arguments: argparse.Namespace) -> int:
    machine = read_machine(arguments.machine)
    of_machine(machine)
    _check_places(arguments.output, arguments.runs)
    with tempfile.TemporaryDirectory(prefix="waywiser-validate-") as name:
        directory = arguments.runs or Path(name)
        directory.mkdir(parents=True, exist_ok=True)
        with _stdout_as_stderr():
            runs = dict(run_programs(arguments.launch, directory))
        replayed = {program: read_base(run, arguments.machine) for program, run in runs.items()}
        unreliable = {program: _unreliable(run) for program, run in runs.items()}
        validated_machine, report = validated(
            machine, arguments.machine, replayed, datetime.date.today(), unreliable
        )
    save_output(arguments.output, machine_text(validated_machine))
    _say(validation_text(report), report, arguments, machine)
    return 0


def _places(arguments: argparse.Namespace) -> int:
    machine = read_machine(arguments.machine)
    if arguments.output != STDOUT and not is_places(arguments.output):
        raise InvalidCommand(f"-o {arguments.output}: expected FILE.places")
    save_output(arguments.output, places_text(machine, arguments.machine))
    _say_written(arguments.output, f": {machine.title}")
    return 0


def _say(text: str, report: Model, arguments: argparse.Namespace, machine: Machine) -> None:
    """Prints the report of a measurement, and names the written machine file."""
    stream = beside(arguments.output)
    if arguments.json:
        print(report.model_dump_json(indent=1), file=stream)
    else:
        print(text, file=stream)
        _say_written(arguments.output, f": {machine.title}")


def _say_written(output: Path, detail: str) -> None:
    if output != STDOUT:
        print(f"wrote {output}{detail}")


def _unreliable(directory: Path) -> Sequence[str]:
    """Sentences on other load of the machine during a run."""
    run, summary = read_run(directory)
    nodes = len({rank.host for rank in summary.per_rank or ()})
    return gate_of_launch(run, summary, summary.ranks, threads=1, nodes=nodes).unreliable


def _check_places(output: Path, runs: Path | None) -> None:
    """Check that the result can be written, before minutes of measurement."""
    if output.is_dir() or not output.parent.is_dir():
        raise InvalidCommand(f"-o {output}: expected a file in a directory that exists")
    if runs is not None and runs.exists() and not runs.is_dir():
        raise InvalidCommand(f"--runs {runs}: expected a directory; this is a file")


@contextmanager
def _stdout_as_stderr() -> Iterator[None]:
    """Redirects the output of programs to stderr, as stdout is for the answer."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
