"""Made-up studies whose truth is known: what a configuration takes, what fails, what stands out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np

from tests import synthetic
from waywiser.model.efficiencies import efficiencies_of
from waywiser.model.reading import Metric, Reading, Section
from waywiser.model.result import FunctionShare, MpiShare, Result, Scalar
from waywiser.model.run import Conditions, Mpi, Run
from waywiser.model.study import Study
from waywiser.study.configurations import Configuration, configurations_of

LAMMPS = {
    "title": "LAMMPS rhodopsin: MPICH against Intel MPI",
    "question": "Which of the two libraries runs the rhodopsin benchmark faster, and where?",
    "mpi": ["mpich", "impi"],
    "application": {
        "rhodo": {"reader": "lammps", "program": "lmp", "arguments": ["-in", "in.rhodo"]}
    },
    "axes": {"ranks": [1, 2, 4, 8, 16, 32]},
    "repeats": {"blocks": 10, "seed": 7},
    "report": {"author": "A. Lovelace", "scaling": "strong"},
}
SWEEP = {
    "title": "Quantum ESPRESSO Si: ndiag and ntg",
    "application": {"si": {"reader": "quantum-espresso", "program": "pw.x"}},
    "axes": {"ranks": 4, "ndiag": [1, 4, 9, 16], "ntg": [1, 2, 4]},
    "repeats": {"blocks": 10},
}
SEISSOL = {
    "title": "SeisSol on up to 8 nodes",
    "application": {"tpv33": {"reader": "seissol", "program": "SeisSol"}},
    "axes": {"nodes": [1, 2, 4, 8], "ranks_per_node": 2},
    "repeats": {"blocks": 8},
}
PROPAGATION = {
    "title": "Propagators: error against elapsed time",
    "application": {"propa": {"program": "propa"}},
    "axes": {"order": [2, 4, 8], "step": [1, 2, 4]},
    "repeats": {"blocks": 6},
    "profile": "never",
    "report": {"within": {"error": 1.0}},
}
SECTIONS = {"Pair": 0.62, "Bond": 0.03, "Kspace": 0.2, "Neigh": 0.09, "Comm": 0.03, "Other": 0.03}
FUNCTIONS = {
    "MPI_Wait": 0.35,
    "MPI_Allreduce": 0.25,
    "MPI_Send": 0.2,
    "MPI_Sendrecv": 0.1,
    "MPI_Irecv": 0.06,
    "MPI_Bcast": 0.04,
}
LIBRARIES = {
    "mpich": Mpi(library="MPICH", version="5.0.2", abi="mpich", transport="ch4:ofi / tcp"),
    "impi": Mpi(library="Intel MPI", version="2021.18.1", abi="mpich", transport="ofi / tcp"),
}
Place = tuple[str, int]
"""A configuration's name and a block."""


def amdahl(values: Mapping[str, Scalar]) -> float:
    """10 s on one rank, of which 0.5 s do not scale."""
    return 0.5 + 9.5 / float(values["ranks"])


@dataclass(frozen=True)
class Truth:
    """The planted effects of a made-up study."""

    seconds: Callable[[Mapping[str, Scalar]], float] = amdahl
    slower: Mapping[str, float] = field(default_factory=dict)
    """Library -> by which factor its performance is lower, all of it in section Kspace."""

    noise: float = 0.005
    """Standard deviation of the logarithm."""

    drift: float = 0.0
    """By which share everything gets slower from the first block to the last."""

    failures: Mapping[Place, str] = field(default_factory=dict)
    outliers: Mapping[Place, float] = field(default_factory=dict)
    unreliable: frozenset[Place] = frozenset()
    mpi_share: float = 0.04
    """Share of the ranks' time, for each doubling of the ranks."""

    waiting: float = 0.0
    """Share of the time in MPI_Allreduce, as --split-sync would tell it."""

    profile: bool = True
    sections: bool = True
    rate: bool = False
    """The headline is a rate of 1000 GFLOP in that time; the time is the second metric."""

    error: Callable[[Mapping[str, Scalar]], float] | None = None
    """A metric beside the headline."""

    work: Callable[[Mapping[str, Scalar]], float] = lambda _: 32_000.0


def runs(study: Study, truth: Truth, seed: int = 1) -> list[Run]:
    """All runs of a study, block by block, the warm-up first."""
    random = np.random.default_rng(seed)
    configurations = configurations_of(study)
    blocks = study.repeats.blocks + study.repeats.warm_up
    return [
        _run(study, truth, configurations[i], block, random)
        for block in range(blocks)
        for i in random.permutation(len(configurations))
    ]


def _run(
    study: Study,
    truth: Truth,
    configuration: Configuration,
    block: int,
    random: np.random.Generator,
) -> Run:
    place = (configuration.name, block)
    base = truth.seconds(configuration.values)
    seconds = base * truth.slower.get(str(configuration.values["mpi"]), 1.0)
    factor = math.exp(random.normal(0, truth.noise))
    factor *= 1 + truth.drift * block / study.repeats.blocks
    factor *= truth.outliers.get(place, 1.0)
    sections = {name: share * base for name, share in SECTIONS.items()}
    sections["Kspace"] += seconds - base
    parts = tuple(_section(name, part * factor, random) for name, part in sections.items())
    failure = truth.failures.get(place, "")
    result = Result(
        configuration=configuration.name,
        values=configuration.values,
        block=block,
        warm_up=study.repeats.warm_up and block == 0,
        headline="performance" if truth.rate else "loop_time",
        reading=Reading()
        if failure
        else Reading(
            metrics=_metrics(truth, configuration, seconds * factor),
            sections=parts if truth.sections else (),
        ),
        failures=(failure,) if failure else (),
        unreliable=("8.0 other tasks ran on 32 cores",) if place in truth.unreliable else (),
        remedies=("Use an otherwise idle node",) if place in truth.unreliable else (),
        work=truth.work(configuration.values),
        mpi=_share(truth, configuration, seconds * factor) if truth.profile else None,
    )
    started = synthetic.STARTED + timedelta(minutes=10 * block)
    like = synthetic.run(configuration.ranks)
    program = configuration.application.program or "lmp"
    words = [configuration.fill(word) for word in configuration.application.arguments]
    return like.replace(
        command=("mpirun", "-n", str(configuration.ranks), program, *words),
        program=like.program.replace(path=program, arguments=tuple(words)),
        mpi=LIBRARIES.get(str(configuration.values["mpi"]), like.mpi),
        started=started,
        conditions=Conditions(
            wall_seconds=seconds * factor + 0.4,
            cpu_seconds=(seconds * factor) * configuration.ranks,
            busy_seconds=(seconds * factor) * configuration.ranks,
            stolen_seconds=0.0,
            involuntary_switches=10,
            load_average=float(configuration.ranks),
        ),
        result=result,
    )


def _metrics(truth: Truth, configuration: Configuration, seconds: float) -> tuple[Metric, ...]:
    metrics = [
        Metric(name="loop_time", value=seconds, unit="s", better="lower"),
        Metric(name="performance", value=1000 / seconds, unit="GFLOP/s", better="higher"),
    ]
    if truth.error is not None:
        error = truth.error(configuration.values)
        metrics.append(Metric(name="error", value=error, unit="%", better="lower"))
    return tuple(metrics)


def _section(name: str, seconds: float, random: np.random.Generator) -> Section:
    spread = abs(random.normal(0.05, 0.01))
    return Section(
        name=name, seconds=seconds, minimum=seconds * (1 - spread), maximum=seconds * (1 + spread)
    )


def _share(truth: Truth, configuration: Configuration, seconds: float) -> MpiShare:
    share = truth.mpi_share * math.log2(2 * configuration.ranks)
    total = seconds * configuration.ranks
    return MpiShare(
        ranks=configuration.ranks,
        wall_seconds=seconds,
        mpi_seconds=share * total,
        init_seconds=0.01 * total,
        cpu_seconds=0.99 * total,
        involuntary_switches=3 * configuration.ranks,
        efficiencies=efficiencies_of(
            [(0.99 - share) * seconds] * configuration.ranks, 0.99 * seconds
        ),
        functions={
            name: FunctionShare(
                calls=1000 * (i + 1) * configuration.ranks,
                seconds=part * share * total,
                bytes=1_000_000 * configuration.ranks,
                sync_seconds=part * share * total * truth.waiting * (name == "MPI_Allreduce"),
            )
            for i, (name, part) in enumerate(FUNCTIONS.items())
        },
        sizes={
            name: tuple(
                (1 << power, 100 * power * configuration.ranks) for power in range(3, 17, 2 + i)
            )
            for i, name in enumerate(FUNCTIONS)
            if name != "MPI_Wait"
        },
    )


def study(document: Mapping[str, object], **changes: object) -> Study:
    """A study of a document, with some of its keys replaced."""
    return Study.model_validate({**document, **changes})
