"""Advice against reality: a cause is planted, and the gain predicted that mending it measures.

On a busy machine the gate has to speak instead: no opportunity may be called worth it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.rigs.hosts import Host, SlowNetwork, hosts, launcher_settings, why_not
from tests.support import BIN, MpiLibrary, Waywiser, environment, gated, mpi_library, succeeded
from tests.system.conftest import Build

pytestmark = pytest.mark.alone("beside other work, the gate refuses the advice that is judged here")

TRIES = 3
"""Runs until the machine is free; then what is said on a busy one is looked at."""

REPEATED = 0.05
"""Share of the run time by which equal runs differ here; added to the gain's own error."""


@dataclass(frozen=True)
class Planted:
    cause: str
    opportunity: str
    rounds: int
    mendable: bool = True
    """True if mending achieves the opportunity's gain: joined messages do not halve the latency."""

    transport: str = "self,sm"
    calibrated: bool = False
    """True if messages cost what was measured, instead of an estimate from the trace: no call waits
    for messages that are sent in a row."""

    options: tuple[str, ...] = ()
    """Options of the launcher on several hosts."""


CAUSES = (
    Planted("imbalance-at-collective", "balance", 60),
    Planted("imbalance-at-exchange", "balance", 100),
    Planted("late-sender", "early sends", 50),
    Planted("late-reply", "early sends", 80),
    Planted("noise-in-turn", "noise", 150),
    Planted("noise-by-chance", "noise", 150),
    Planted("small-messages", "latency", 100, mendable=False),
    Planted("small-messages-in-a-row", "join messages", 100, transport="self,tcp", calibrated=True),
)

OPPORTUNITIES_BEFORE = [
    {cause.opportunity for cause in CAUSES[:number]} for number in range(len(CAUSES))
]
"""Opportunities of the causes before each one; `make test` has the first cause of each."""

NETWORK = SlowNetwork(delay_us=5000, gigabit_per_s=1)
FOUR = ("--host", "n0,n1,n2,n3")
TWO = ("--host", "n0:2,n1:2")
TUNED = ("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca")
ON_HOSTS = (
    Planted(
        "sums",
        "algorithm of MPI_Allreduce",
        80,
        options=(*FOUR, *TUNED, "coll_tuned_allreduce_algorithm", "4"),
    ),
    Planted(
        "transpositions",
        "algorithm of MPI_Alltoall",
        80,
        options=(*FOUR, *TUNED, "coll_tuned_alltoall_algorithm", "2"),
    ),
    Planted("far-partners", "placement", 80, options=TWO),
    Planted("far-neighbours", "placement", 80, options=(*TWO, "--map-by", "node")),
)


class Machine(Protocol):
    def advised(self, planted: Planted, number: int) -> dict[str, Any]:
        """Advice on a traced run."""

    def seconds(self, planted: Planted, how: str, opportunity: dict[str, Any]) -> list[float]:
        """Times of the rounds in two runs [s], by the program's own clock."""


@dataclass(frozen=True)
class OneHost:
    """Two ranks on two CPUs."""

    waywiser: Waywiser
    library: MpiLibrary
    program: Path

    def profile(self, planted: Planted, how: str, *options: str) -> str:
        words = self.library.command(2, self.program, planted.cause, how, str(planted.rounds))
        settings = {"OMPI_MCA_btl": planted.transport}
        done = self.waywiser.succeeds("profile", *options, "--", *words, env=settings)
        return done.stdout

    def advised(self, planted: Planted, number: int) -> dict[str, Any]:
        name = f"run{number}"
        self.profile(planted, "planted", "--trace", "-o", name)
        machine = ["--from", self.calibrate(planted)] if planted.calibrated else []
        return dict(gated(self.waywiser.here("advise", name, *machine, "--json")))

    def calibrate(self, planted: Planted) -> str:
        benchmarks = ("--benchmark", "loggp,latency", "--sizes", "8,64,512,2048,8192,32768")
        program = self.library.program("ww-mpibench")
        words = self.library.command(
            2, program, *benchmarks, "--iterations", "50", "--json", "node.json"
        )
        succeeded(self.waywiser.bare(words, env={"OMPI_MCA_btl": planted.transport}))
        words = ["machine", "calibrate", "rig-3", "node.json", "-o", "ours.toml"]
        assert self.waywiser.here(*words).returncode == 0
        return "ours.toml"

    def seconds(self, planted: Planted, how: str, opportunity: dict[str, Any]) -> list[float]:
        return [
            rounds_took(self.profile(planted, how, "--bare", "-o", f"{how}{number}"))
            for number in range(2)
        ]


@dataclass(frozen=True)
class SeveralHosts:
    """Four ranks, which sleep while they wait."""

    host: Host
    """Host on which the launcher runs."""

    program: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *words: str, **settings: str) -> str:
        done = self.host.run(*words, env={**self.settings, **settings}, timeout=120)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def document(self, *words: str) -> dict[str, Any]:
        """JSON document of a verb that starts nothing, on whichever host."""
        done = Waywiser(self.host.directory).succeeds(*words, "--json", env=self.settings)
        return dict(json.loads(done.stdout))

    def command(self, planted: Planted, how: str, options: tuple[str, ...]) -> list[str]:
        words = ["mpirun", *options, "-n", "4", str(self.program)]
        return [*words, planted.cause, how, str(planted.rounds)]

    def advised(self, planted: Planted, number: int) -> dict[str, Any]:
        name = f"{planted.cause}{number}"
        shutil.rmtree(self.host.directory / name, ignore_errors=True)
        command = self.command(planted, "planted", planted.options)
        self("waywiser", "profile", "--trace", "-o", name, "--", *command)
        here = Waywiser(self.host.directory)
        return dict(gated(here("advise", name, "--json", env=self.settings)))

    def seconds(self, planted: Planted, how: str, opportunity: dict[str, Any]) -> list[float]:
        """Mended as Waywiser says: by the setting of the algorithm, or by its placement."""
        command, settings = self.command(planted, how, planted.options), {}
        if how == "mended" and planted.opportunity == "placement":
            run, where = f"{planted.cause}0", ("--on", "rig-3", "--hosts", "two")
            placed = self.document("place", run, *where, "--for", "openmpi", "-o", "placed")
            command = placed["command"].split()
        elif how == "mended":
            _, _, assignment = opportunity["because"].partition("; set ")
            settings = dict(word.split("=") for word in assignment.split())
            command = self.command(planted, how, FOUR)
        return [rounds_took(self(*command, **settings)) for _ in range(2)]


def rounds_took(printed: str) -> float:
    took = re.search(r"rounds took (\d+) ns", printed)
    assert took, printed
    return int(took[1]) / 1e9


@pytest.fixture
def machine(waywiser: Waywiser, build: Build) -> OneHost:
    library = mpi_library("openmpi")
    return OneHost(waywiser, library, build(library, "planted_causes.c", "-rdynamic"))


@pytest.fixture(scope="module")
def machines(openmpi: MpiLibrary, build: Build) -> Iterator[SeveralHosts]:
    if why_not() is not None:
        pytest.skip(str(why_not()))
    program = build(openmpi, "planted_causes.c", "-rdynamic")
    with (
        tempfile.TemporaryDirectory(prefix="ww-") as directory,  # short: sockets are in it
        hosts(("n0", "n1", "n2", "n3"), Path(directory), NETWORK) as started,
    ):
        (Path(directory) / "two").write_text("n0 slots=2\nn1 slots=2\n")
        settings = environment(
            {
                **launcher_settings(Path(directory)),
                "PATH": f"{openmpi.bin}:{BIN}:/usr/bin:/bin",
                "OMPI_MCA_mpi_yield_when_idle": "1",
                "PRTE_MCA_hwloc_default_binding_policy": "none",
            }
        )
        # This policy would have Open MPI put all ranks on the first host.
        del settings["PRTE_MCA_rmaps_default_mapping_policy"]
        yield SeveralHosts(started[0], program, settings)


def best(advice: dict[str, Any]) -> dict[str, Any]:
    """The first that is no bound."""
    return next(opportunity for opportunity in advice["opportunities"] if not opportunity["bound"])


def judge(machine: Machine, planted: Planted) -> None:
    advice: dict[str, Any] = {}
    for number in range(TRIES):
        advice = machine.advised(planted, number)
        if not advice["gate"]["unreliable"] and not advice["gate"]["unlike"]:
            break
    else:
        assert all(
            opportunity["assessment"] == "refused" for opportunity in advice["opportunities"]
        )
        return

    opportunity = best(advice)
    assert opportunity["name"] == planted.opportunity, [
        candidate["name"] for candidate in advice["opportunities"]
    ]
    assert opportunity["assessment"] in ("expected", "possible")
    if planted.mendable:
        before, after = (
            machine.seconds(planted, how, opportunity) for how in ("planted", "mended")
        )
        least, most = min(before) - max(after), max(before) - min(after)
        differ = REPEATED * advice["recorded_seconds"]
        low, high = opportunity["low_seconds"], opportunity["high_seconds"]
        print(
            f"{planted.cause}: {low:.4f} to {high:.4f} s predicted, "
            f"{least:.4f} to {most:.4f} measured"
        )
        assert low - differ <= most
        assert least <= high + differ


@pytest.mark.parametrize(
    "planted",
    [
        pytest.param(
            planted,
            id=planted.cause,
            marks=[pytest.mark.long] * (planted.opportunity in opportunities),
        )
        for planted, opportunities in zip(CAUSES, OPPORTUNITIES_BEFORE, strict=True)
    ],
)
def test_the_planted_cause_is_the_first_advice_and_its_gain_is_what_mending_measures(
    machine: OneHost, planted: Planted
) -> None:
    judge(machine, planted)


@pytest.mark.parametrize(
    "planted",
    [
        pytest.param(replace(ON_HOSTS[0], mendable=False), id="advice on sums"),
        *(
            pytest.param(
                planted,
                id=planted.cause,
                marks=[pytest.mark.long] * (planted.cause != "far-partners"),
            )
            for planted in ON_HOSTS
        ),
    ],
)
def test_so_it_is_on_several_hosts(machines: SeveralHosts, planted: Planted) -> None:
    judge(machines, planted)


@contextmanager
def beside_busy_programs(number: int) -> Iterator[None]:
    spin = [sys.executable, "-c", "while True: pass"]
    spinning = [subprocess.Popen(spin) for _ in range(number)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def test_beside_busy_programs_the_gate_speaks(machine: OneHost) -> None:
    """Busy programs share the ranks' one CPU: on more, Linux may leave a CPU to each rank."""
    planted = CAUSES[0]
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        with beside_busy_programs(2):
            advice = machine.advised(planted, 0)
    finally:
        os.sched_setaffinity(0, allowed)

    assert advice["gate"]["unreliable"]
    if Path("/proc/self/schedstat").exists():  # the kernel counts, and the profile keeps it
        assert any(
            "ready to run but had no CPU" in reason for reason in advice["gate"]["unreliable"]
        )
    assert all(opportunity["assessment"] == "refused" for opportunity in advice["opportunities"])
    shown = machine.waywiser.here("show", "run0").stdout
    assert "Validity gate failed:" in shown
