"""Every reader of a user's file in Python, with the inputs that its fuzzing begins with.

`fuzz_readers.cpp` has the readers of profiles, states, recordings and traces: their checksums and
tables want mutations that know them.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from tests import synthetic
from tests.closed_form_replay import base_on_paper
from tests.mpibench_lines import EAGER, line
from tests.synthetic_meshes import small_mesh
from tests.synthetic_placements import placement
from tests.unit import test_machine_readers as machine_texts
from tests.unit import test_otf2_import as otf2_traces
from tests.unit import test_rupture_field as ruptures
from tests.unit import test_study_from_script as scripts
from tests.unit import test_wave_field as waves
from tests.unit import test_whatif_answer as whatif
from waywiser.analyse.placement_check import read_placement
from waywiser.analyse.whatif.answer import answers
from waywiser.apps.application import Output
from waywiser.apps.pattern import read_patterns
from waywiser.apps.table import APPLICATIONS
from waywiser.errors import ToolMissing
from waywiser.launch import recognise
from waywiser.launch.library import abi_of_library, read_executable
from waywiser.launch.rank_order import read_rank_order
from waywiser.machines.accounts.read import read_accounts
from waywiser.machines.allocation import read_allocation
from waywiser.machines.formats import import_machine
from waywiser.machines.library import machine_from_text, read_machine, shipped
from waywiser.machines.text import machine_text
from waywiser.measure.places import places
from waywiser.meshes.check import checked
from waywiser.meshes.puml import read_puml, write_puml
from waywiser.model.machine import parse_machine
from waywiser.model.micro_benchmark import read_measurements
from waywiser.model.reading import MetricPattern
from waywiser.native._native import CallSite
from waywiser.store import RunDirectory
from waywiser.store.answer import read_answer
from waywiser.store.matrix_market import read_matrix_market
from waywiser.store.otf2 import import_otf2
from waywiser.store.ruptures import ruptures_of_run
from waywiser.store.samples import read_samples
from waywiser.store.study import StudyDirectory
from waywiser.store.wave_fields import wave_fields_of_run
from waywiser.study.configurations import configurations_of
from waywiser.study.convert import from_script
from waywiser.study.starter import starter_text
from waywiser.study.study_file import read_study

ACCOUNTS = Path(__file__).parent.parent / "golden" / "accounts"
GOLDEN = Path(__file__).parent.parent / "golden" / "apps"
MATRIX = "%%MatrixMarket matrix coordinate integer general\n% who\n4 4 3\n1 2 70\n2 3 9\n4 1 8\n"
HOSTS = "n[0-3,7]\nn9 slots=2 # two\nn10:4\nlogin[01-02]x[1-2]\n"
MACHINE = """\
title = "five hosts and two"
hosts = ["n[0-3,7,9-10]", "login[01-02]x[1-2]"]
source = { document = "none", date = "2026-01-01" }
node = { cores = 4 }
[network]
topology = { kind = "all-to-all", nodes = 11 }
link_bandwidth_GBps = 10
"""
XNAMES = "x1000c0s0b0n0\nnid001001 x1000c0s0b0n1\nx1002c7s7b1n1\n"
HWLOC = (
    '<?xml version="1.0"?>\n<topology version="2.0"><object type="Machine" os_index="0">'
    '<object type="Package"><object type="L3Cache"><object type="Core"><object type="PU"/></object>'
    '<object type="Core"/></object><object type="NUMANode"/><object type="OSDev" name="ib0" '
    'osdev_type="3"/></object></object></topology>\n'
)


@dataclass(frozen=True)
class Reader:
    seeds: Callable[[Path], Mapping[str, bytes]]
    """Names and contents of files, each written in the directory that is given; one of them is
    changed at a time, and the others lie beside it."""

    read: Callable[[Path], object]
    """Reads the file that was changed."""

    modules: tuple[str, ...]
    """Modules of the package that the reader runs through."""

    inputs: int = 60
    """Number of inputs in `make test`; the long tests use sixteen times as many."""


def texts(**files: str) -> Callable[[Path], Mapping[str, bytes]]:
    held = {name.replace("__", "."): text.encode() for name, text in files.items()}
    return lambda _directory: held


def files_of(make: Callable[[Path], object]) -> Callable[[Path], Mapping[str, bytes]]:
    """The files that a function writes into a directory."""

    def seeds(directory: Path) -> Mapping[str, bytes]:
        make(directory)
        return {
            str(path.relative_to(directory)): path.read_bytes()
            for path in sorted(directory.rglob("*"))
            if path.is_file()
        }

    return seeds


def _matrices(_directory: Path) -> Mapping[str, bytes]:
    real = "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 1.5e3\n3 1 .5\n"
    return {
        "general.mtx": MATRIX.encode(),
        "real.mtx": real.encode(),
        "zipped.mtx.gz": gzip.compress(MATRIX.encode()),
        "long.mtx.gz": gzip.compress(MATRIX.encode() + b"1" * (1 << 22)),
    }


def _machine(form: str) -> Callable[[Path], object]:
    """Reads a machine, and what is written of it."""
    return lambda path: machine_from_text(machine_text(import_machine(form, path)), str(path))


def _allocation(path: Path) -> object:
    return read_allocation(parse_machine(MACHINE, "machine"), path)


def _scripts(_directory: Path) -> Mapping[str, bytes]:
    doubling = "a=x\n" + "a=$a$a\n" * 60 + "mpirun -n 4 ./app $a\n"
    return {"faulty.sh": scripts.FAULTY.encode(), "doubling.sh": doubling.encode()}


def _script(path: Path) -> object:
    return from_script(path.read_text(encoding="utf-8", errors="replace"), path.name)


def _outputs(application: str) -> Callable[[Path], Mapping[str, bytes]]:
    def seeds(_directory: Path) -> Mapping[str, bytes]:
        files: dict[str, bytes] = {}
        for case in OUTPUTS[application]:
            for path in sorted((GOLDEN / case).iterdir()):
                files[f"{case}/{path.name}"] = path.read_bytes()
        return files

    return seeds


def _output(application: str) -> Callable[[Path], object]:
    def read(path: Path) -> object:
        def text(name: str) -> str:
            file = path.with_name(name)
            return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""

        return APPLICATIONS[application].read(Output(text("stdout"), text("stderr"), path.parent))

    return read


OUTPUTS = {
    name: sorted(
        path.name for path in GOLDEN.iterdir() if path.is_dir() and path.name.startswith(prefix)
    )
    for name, prefix in {
        **{name: name for name in APPLICATIONS},
        "quantum-espresso": "espresso",
    }.items()
}


def _patterns(_directory: Path) -> Mapping[str, bytes]:
    known = [r"time = ([0-9.]+)", r"^(?:\w+\s*)+:\s([-+]?\d+)$", r"(?i)loop[ \t]*([\d]+)"]
    return {f"{number}.txt": pattern.encode() for number, pattern in enumerate(known)}


def _pattern(path: Path) -> object:
    text = path.read_text(encoding="utf-8", errors="replace")
    try:
        expected = MetricPattern(pattern=text, better="lower")
    except ValidationError:  # the study's reader makes a sentence of it
        return None
    return read_patterns({"x": expected}, "", Output("time = 12.5\nLoop 3 of it\n" * 50, "", path))


def _run(path: Path) -> object:
    return RunDirectory(path.parent).read_run()


def _plan(path: Path) -> object:
    return StudyDirectory(path.parent).read_plan()


def _documents(_directory: Path) -> Mapping[str, bytes]:
    return {"placed.json": placement("n0", "n1").model_dump_json().encode()}


def _answers(_directory: Path) -> Mapping[str, bytes]:
    base = base_on_paper(whatif.PROGRAM, whatif.TWO_NODES)
    return {"answer.json": answers(base, []).model_dump_json().encode()}


def _measurements(_directory: Path) -> Mapping[str, bytes]:
    lines = [line("latency", size, EAGER.one_way(size)) for size in (0, 8, 4096)]
    return {"loggp.json": "".join(json.dumps(record) + "\n" for record in lines).encode()}


def _waves(directory: Path) -> object:
    return waves.written(directory)


def _rupture(directory: Path) -> object:
    return ruptures.written(directory)


def _mesh(path: Path) -> object:
    return checked(read_puml(path)[0], path)


def _program(_directory: Path) -> Mapping[str, bytes]:
    return {"program": Path(sys.executable).resolve().read_bytes()[:4096]}


def _executable(path: Path) -> object:
    abi_of_library.cache_clear()
    site = CallSite()
    site.module, site.address = str(path), 64
    recognise._kind_of.cache_clear()  # each input has the same name
    with suppress(ToolMissing):
        recognise.recognise_launcher(path)
    return read_executable(path), abi_of_library(path), places([site])


def _archive(path: Path) -> object:
    """Reads in a process of its own, as the verb does: the library aborts on some damage."""
    anchor = next(file for directory in path.parents for file in directory.glob("*.otf2"))
    run = anchor.parent / "run"
    shutil.rmtree(run, ignore_errors=True)
    return import_otf2(anchor, run)


READERS: dict[str, Reader] = {
    "Matrix Market": Reader(_matrices, read_matrix_market, ("store/matrix_market",)),
    "host list": Reader(texts(hosts=HOSTS), _allocation, ("machines/allocation", "inputs")),
    "Slurm topology": Reader(
        texts(
            tree=machine_texts.TREE,
            scontrol=machine_texts.TREE_OF_SCONTROL,
            uneven=machine_texts.UNEVEN,
            blocks=machine_texts.BLOCKS,
        ),
        _machine("slurm"),
        ("machines/formats",),
    ),
    "Slingshot": Reader(texts(names=XNAMES), _machine("slingshot"), ("machines/formats",)),
    "ibnetdiscover": Reader(
        texts(fabric=machine_texts.FABRIC), _machine("ibnetdiscover"), ("machines/formats",)
    ),
    "accounts": Reader(
        lambda _: {path.name: path.read_bytes() for path in sorted(ACCOUNTS.iterdir())},
        lambda path: read_accounts([path]),
        ("machines/accounts/read", "machines/accounts/slurm_json"),
        inputs=10,
    ),
    "hwloc": Reader(texts(node__xml=HWLOC), _machine("hwloc"), ("machines/formats",)),
    "machine": Reader(
        lambda _: {path.name: path.read_bytes() for path in shipped().values()},
        lambda path: read_machine(str(path)),
        ("machines/library",),
    ),
    "study": Reader(
        texts(study__toml=starter_text()),
        lambda path: configurations_of(read_study(path)),
        ("study/study_file",),
    ),
    "job script": Reader(_scripts, _script, ("cli/study",), inputs=20),
    "study plan": Reader(
        texts(plan__json='{"points": {"r2": "a1"}, "origin": "/tmp"}'), _plan, ("store/study",)
    ),
    **{
        f"output of {name}": Reader(_outputs(name), _output(name), ("apps/application",), inputs=20)
        for name in APPLICATIONS
        if OUTPUTS[name]
    },
    "pattern": Reader(_patterns, _pattern, ("study/collect",)),
    "rank order": Reader(
        texts(order="# new\n2\n0\n1\n3\n"), read_rank_order, ("launch/rank_order",)
    ),
    "placement document": Reader(
        _documents, read_placement, ("analyse/placement_check", "store/placement")
    ),
    "run.json": Reader(
        files_of(lambda directory: RunDirectory(directory).write_run(synthetic.run(3))),
        _run,
        ("store/directory",),
        inputs=2000,
    ),
    "answer": Reader(_answers, lambda path: read_answer(path, 4), ("store/answer",)),
    "samples": Reader(files_of(_waves), read_samples, ("store/samples",), inputs=30),
    "measurements": Reader(
        _measurements, lambda path: list(read_measurements(path)), ("model/micro_benchmark",)
    ),
    "wave fields": Reader(
        files_of(_waves),
        lambda path: wave_fields_of_run(path.parent, [path.with_name("propa.json")]),
        ("store/wave_fields",),
    ),
    "rupture": Reader(
        files_of(_rupture),
        lambda path: ruptures_of_run(path.parent, sorted(path.parent.glob("*.json"))),
        ("store/ruptures", "store/xdmf"),
        inputs=30,
    ),
    "mesh": Reader(
        files_of(lambda directory: write_puml(directory / "m.h5", small_mesh(), "tpv33")),
        _mesh,
        ("meshes/puml",),
    ),
    "program": Reader(
        _program, _executable, ("launch/library", "launch/recognise", "measure/places"), inputs=30
    ),
    "OTF2": Reader(
        files_of(lambda directory: otf2_traces.write_by_package(directory / "trace")),
        _archive,
        ("store/otf2", "store/otf2_reader"),
        inputs=3,
    ),
}

OWN = "in the directory of a study or run, where Waywiser alone writes"
NATIVE = "its native reader is fuzzed by fuzz_readers.cpp"
SYSTEM = "of the system: no user names it"
WRITES = "opens files to write them"
OTHERS: dict[str, str] = {
    "__init__": "installed with Waywiser",
    "analyse/sets": NATIVE,
    "analyse/whatif/estimate": NATIVE,
    "analyse/whatif/replay": NATIVE,
    "api/calls": NATIVE,
    "api/frame": "a temporary file that DuckDB has just written",
    "api/open": "none: its function bears the name",
    "cli/doctor": "installed with Waywiser",
    "cli/main": "/dev/null",
    "cli/open": "none: a browser opens the page",
    "cli/version": "installed with Waywiser",
    "launch/batch": OWN,
    "launch/execute": WRITES,
    "launch/host": SYSTEM,
    "launch/local": SYSTEM,
    "launch/tuning/mpich_rules": "an MPI library, whose text is searched",
    "launch/workloads": "installed with Waywiser; of another program, its first bytes",
    "measure/conditions": SYSTEM,
    "meshes/parts": WRITES,
    "report/drawing_library": "a cache, of which a digest is checked",
    "report/frame": "installed with Waywiser",
    "report/study/document": OWN,
    "store/advice": OWN,
    "store/live": SYSTEM,
    "store/durable": OWN,
    "store/finish": OWN,
    "store/lock": OWN,
    "store/read": NATIVE,
    "store/timeline": NATIVE,
    "store/trace_export": "a pipe of its own",
    "store/virtual": OWN,
    "store/waits": OWN,
    "study/campaign": OWN,
    "study/jobs": OWN,
    "study/local": OWN,
    "study/rules/texts": "templates, whose text is searched by a pattern of ours",
    "study/rules/variables": "an MPI library, whose text is searched",
    "study/setting": "templates, in whose text names are replaced",
    "study/submit": OWN,
    "study/sweeps": OWN,
}
"""Modules that open files and are none of the readers above, with the reason."""
