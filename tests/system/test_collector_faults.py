"""A node's collector ends, fails or is interrupted at every system call, and the node is lost with
its memory: the states of killed ranks are in the memory, in the run, or in both."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import synthetic
from tests.faults import CRASHED, Cut, Disk, built_injector, copied
from tests.support import ROOT, MpiLibrary, environment
from tests.system.conftest import PROGRAMS, Build
from tests.system.test_faults import Work, judge_all_cuts
from waywiser.native import PROFILER, SHIM
from waywiser.native._native import job_document
from waywiser.store import RunDirectory

MEMORY = f"waywiser-{os.getuid()}-abc"
"""The directory in the node's memory, here in the run's, so that faults are seen in both."""

NAME = "node-00000001"
LEDGER = struct.pack("Q128s", 0, NAME.encode())


@pytest.fixture(scope="module")
def injector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_injector(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ww-collector as a program that a library can be preloaded into: the shipped one is static."""
    program = tmp_path_factory.mktemp("collector") / "ww-collector"
    objects = ROOT / "build" / "release" / "native" / "profile" / "CMakeFiles" / "ww-collector.dir"
    names = ("collector/collector", "collector/energy", "process/node")
    parts = [objects / f"{name}.cpp.o" for name in names]
    subprocess.run(["cc", *parts, "-o", program], check=True)
    return program


def kept(program: Path, directory: Path, **variables: str) -> int:
    """Runs the collector; its exit code."""
    with (directory / MEMORY / "ledger").open("r+b") as ledger:
        return subprocess.run(
            [program, directory / MEMORY, directory, "30"],
            env=variables,
            preexec_fn=lambda: os.dup2(ledger.fileno(), 3),
            pass_fds=(3,),
            check=False,
            timeout=200,
        ).returncode


@pytest.fixture
def work(injector: Path, collector: Path) -> Work:
    def cut_short(directory: Path, log: Path, cut: Cut) -> int:
        names = {"DIRECTORY": str(directory), "LOG": str(log), "KIND": cut.fault, "AT": str(cut.at)}
        faults = {f"FAULTS_{name}": value for name, value in names.items()}
        return kept(collector, directory, LD_PRELOAD=str(injector), **faults)

    return cut_short


@pytest.fixture
def killed(openmpi: MpiLibrary, build: Build, tmp_path: Path) -> Path:
    """A run one of whose ranks was killed, and whose states nobody has saved."""
    run = tmp_path / "run"
    memory = run / MEMORY
    memory.mkdir(mode=0o700, parents=True)
    (run / "parts").mkdir()
    with (memory / "ledger").open("wb") as ledger:
        fcntl.flock(ledger, fcntl.LOCK_EX)  # so that no collector is started
        words: list[str | Path] = [
            SHIM,
            PROFILER,
            run,
            memory,
            "",
            build(openmpi, "traced.c"),
            "killed",
            "9",
        ]
        done = subprocess.run(
            openmpi.command(2, *words), env=environment(), check=False, timeout=200
        )
        assert done.returncode != 0
        ledger.write(LEDGER)
    assert len(list(memory.glob("*.state"))) == 2
    described = synthetic.run(2)
    machine = described.machine.replace(host=platform.node())
    RunDirectory(run).write_run(described.replace(machine=machine))
    return run


def test_a_process_that_has_not_reported_its_id_has_not_ended(
    openmpi: MpiLibrary, build: Build, collector: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    memory = run / MEMORY
    memory.mkdir(mode=0o700, parents=True)
    (run / "parts").mkdir()
    slow = openmpi.build(PROGRAMS / "slow_start.c", tmp_path / "slow.so", "-shared", "-fPIC")
    words = (SHIM, PROFILER, run, memory, "", build(openmpi, "actor.c"))
    launcher, n, ranks, *program = openmpi.command(1, *words)
    with (memory / "ledger").open("wb", buffering=0) as ledger:
        fcntl.flock(ledger, fcntl.LOCK_EX)  # so that no other collector is started
        ledger.write(LEDGER)
        command = [launcher, n, ranks, "-x", f"LD_PRELOAD={slow}", *program]
        with subprocess.Popen(command, env=environment()) as process:
            while not any(state.stat().st_size for state in memory.glob("*.state")):
                assert process.poll() is None
                time.sleep(0.01)
            assert kept(collector, run) == 0
        assert process.returncode == 0

    described = synthetic.run(1)
    machine = described.machine.replace(host=platform.node())
    RunDirectory(run).write_run(described.replace(machine=machine))
    profile = RunDirectory(run).merge(described, job_has_ended=True)
    assert (len(profile.ranks), list(profile.lost)) == (1, [])


def cut_when(work: Work, killed: Path, reached: Callable[[Path], bool]) -> Path:
    """Copy of `killed` whose collector was killed at the first call after which `reached` holds."""
    directory = killed.with_name("begun")
    for at in range(1, 100):
        copied(killed, directory)
        Disk(directory)
        assert work(directory, killed.with_name("log"), Cut("crash", at)) == CRASHED
        if reached(directory):
            return directory
    raise AssertionError("it ends before that")


def calls_of(directory: Path) -> tuple[int, dict[str, int]]:
    """Number of ranks and calls by function in the states, wherever they are."""
    files = RunDirectory(directory)
    described = files.read_run().replace(state_directory=str(directory / MEMORY))
    profile = files.merge(described, job_has_ended=False)
    functions = job_document(profile)["functions"]
    return len(profile.ranks), {name: function["calls"] for name, function in functions.items()}


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.long, id="all"), 4])
def test_no_state_is_lost_at_any_call(
    work: Work, killed: Path, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States outlive the collector and, once there is a copy, the node."""

    def judge(directory: Path, _: Path) -> None:
        monkeypatch.setattr(tempfile, "tempdir", str(directory))
        if directory.name == "left":
            shutil.rmtree(directory / MEMORY, ignore_errors=True)
        assert calls_of(directory) == whole

    started = cut_when(
        work, killed, lambda directory: (directory / "parts" / f"{NAME}.copy").exists()
    )
    monkeypatch.setattr(tempfile, "tempdir", str(killed))
    whole = calls_of(killed)
    assert whole[0] == 2
    judge_all_cuts(work, started, judge, every)


def test_what_is_saved_is_synced_before_a_copy_without_it(work: Work, killed: Path) -> None:
    log = killed.with_name("log")
    started = cut_when(
        work, killed, lambda directory: len([*(directory / MEMORY).glob("*.state")]) == 1
    )

    assert work(started, log, Cut("EINTR", 0)) == 0

    done = log.read_text().splitlines()
    parts = started / "parts"
    synced = [line.startswith(f"synced {parts / NAME}.states ") for line in done].index(True)
    copied_anew = done.index(f"renamed {parts / NAME}.copy.tmp {parts / NAME}.copy")
    assert synced < copied_anew
