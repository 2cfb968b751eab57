"""A run is on the disk, whole, before anything goes that it was made from: its writers end, fail,
or are interrupted at every system call, and the power is cut."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import synthetic
from tests.fault_jobs import BROKEN, ENDED, PLAN, elsewhere
from tests.faults import CRASHED, UNSEEN, Cut, Disk, built_injector, calls_in, copied, cuts
from tests.support import ROOT, MpiLibrary, environment
from tests.system.conftest import Build
from waywiser.model.run import Run
from waywiser.native import SHIM
from waywiser.native._native import job_document
from waywiser.store import RunDirectory
from waywiser.store.finish import finish_if_abandoned
from waywiser.store.study import StudyDirectory

Work = Callable[[Path, Path, Cut], int]
"""Does the work in a directory, told in a log, with a fault; its exit code."""

Judge = Callable[[Path, Path], None]
"""Asserts that what a directory has, with that beside it, can be gone on from."""

THINNED = 29
"""Distance of the calls at which `make test` cuts."""

FEW_CALLS = 4
"""Distance of the calls at which `make test` cuts work that writes a file and nothing else."""

RESULTS = ("profile.ww", "trace/trace.ww")


@pytest.fixture(scope="module")
def injector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_injector(tmp_path_factory.mktemp("faults"))


@pytest.fixture
def recorded(openmpi: MpiLibrary, build: Build, tmp_path: Path) -> Path:
    """A traced run of two ranks that is not merged, with full buffers in its files."""
    words: list[str | Path] = [
        SHIM,
        "--run",
        "run",
        "--trace",
        "--",
        build(openmpi, "traced.c"),
        "many",
        "9000",
    ]
    subprocess.run(
        openmpi.command(2, *words), cwd=tmp_path, env=environment(), check=True, timeout=200
    )
    for part in (tmp_path / "run" / "parts").iterdir():
        if part.name == "state":
            part.unlink()  # the directory in the node's memory, which is gone
    assert list((tmp_path / "run" / "parts").glob("*.calls"))
    return tmp_path / "run"


@pytest.fixture
def abandoned(recorded: Path) -> Path:
    """The recorded run as `waywiser profile` leaves it that was killed."""
    (recorded / "stdout").write_text("a line\n")
    run = synthetic.run(2)
    machine = run.machine.replace(host=platform.node())
    update = {"status": "running", "machine": machine, "process": (2**22 - 1, 1)}
    RunDirectory(recorded).write_run(run.replace(**update, options=("trace",)))
    return recorded


@pytest.fixture(params=[pytest.param(1, marks=pytest.mark.long, id="all"), THINNED])
def every(request: pytest.FixtureRequest) -> int:
    number: int = request.param
    return number


@contextmanager
def jobs(injector: Path, name: str) -> Iterator[Work]:
    """A job of tests/fault_jobs.py."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fault_jobs", name],
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(injector)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requests, answered = process.stdin, process.stdout

        def work(directory: Path, log: Path, cut: Cut) -> int:
            print(directory, log, cut.fault, cut.at, file=requests, flush=True)
            return int(answered.readline())

        yield work
        requests.close()


def judge_all_cuts(work: Work, directory: Path, judge: Judge, every: int) -> None:
    """Does the work in copies of a directory with each fault at each call, has what is left judged,
    and prints the number of cuts."""
    copy, left = directory.with_name("copy"), directory.with_name("left")
    log = directory.with_name("log")

    def done(cut: Cut) -> tuple[int, Disk]:
        copied(directory, copy)
        shutil.rmtree(elsewhere(copy), ignore_errors=True)
        elsewhere(copy).mkdir()
        disk = Disk(copy)
        code = work(copy, log, cut)
        disk.follow(log)
        return code, disk

    code, _ = done(Cut("EINTR", 0))
    assert code == 0
    judge(copy, elsewhere(copy))
    calls = calls_in(log)
    planned = cuts(calls, every=every)
    print(f"{directory.name}: {calls} calls, {len(planned)} cuts")
    for cut in planned:
        code, disk = done(cut)
        assert code == CRASHED or cut.fault != "crash", cut
        assert code == 0 or cut.fault not in UNSEEN, cut
        assert code != BROKEN, cut
        try:
            # What a power cut leaves, at the fault or after the end; then what the process left.
            for names_synced in (True, False):
                shutil.rmtree(left, ignore_errors=True)
                disk.leave(left, names_synced=names_synced)
                judge(left, elsewhere(copy))
            judge(copy, elsewhere(copy))
        except AssertionError as error:
            raise AssertionError(f"{cut}: {log.read_text()}") from error


def results(directory: Path) -> list[bytes]:
    return [(directory / name).read_bytes() for name in RESULTS]


def traced(directory: Path) -> tuple[int, tuple[str, ...]]:
    trace = RunDirectory(directory).described_trace()
    assert trace is not None
    return trace.calls, trace.lost


def profiled(directory: Path) -> dict[str, int]:
    files = RunDirectory(directory)
    functions = job_document(files.read_profile(files.read_run()))["functions"]
    return {name: function["calls"] for name, function in functions.items()}


def nothing_is_left_to_merge(directory: Path) -> bool:
    names = {path.name for path in directory.rglob("*")}
    return not any(name.startswith("parts") or name.endswith(".tmp") for name in names)


def finished_by_a_reader(directory: Path) -> Path:
    """Finishes an abandoned run as any verb does that reads it; returns the directory."""
    files = RunDirectory(directory)
    run = finish_if_abandoned(files, files.read_run())
    finish_if_abandoned(files, files.read_run())
    assert run.status != "running"
    assert run.trace is not None
    assert run.trace.bytes == files.trace.stat().st_size
    return directory


def test_a_reader_finishes_a_run(injector: Path, abandoned: Path, every: int) -> None:
    whole = results(finished_by_a_reader(copied(abandoned, abandoned.with_name("whole"))))

    def judge(directory: Path, _: Path) -> None:
        assert results(finished_by_a_reader(directory)) == whole
        assert nothing_is_left_to_merge(directory)

    with jobs(injector, "finish") as work:
        judge_all_cuts(work, abandoned, judge, every)


def test_a_run_that_another_reader_finishes_meanwhile(
    abandoned: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other reader's result is not replaced by what it has left of the ranks' files."""
    whole = results(finished_by_a_reader(copied(abandoned, abandoned.with_name("whole"))))
    listed = RunDirectory.states

    def finished_when_listed(files: RunDirectory, run: Run) -> list[Path]:
        states = listed(files, run)
        monkeypatch.setattr(RunDirectory, "states", listed)
        finished_by_a_reader(abandoned)
        return states

    monkeypatch.setattr(RunDirectory, "states", finished_when_listed)
    files = RunDirectory(abandoned)

    assert finish_if_abandoned(files, files.read_run()).status == "partial"
    assert results(abandoned) == whole


def test_profile_saves_its_run(injector: Path, abandoned: Path, every: int) -> None:
    """If the run is kept elsewhere, its own directory says so."""
    reference = copied(abandoned, abandoned.with_name("whole"))
    with jobs(injector, "saved") as work:
        elsewhere(reference).mkdir()
        Disk(reference)
        assert work(reference, abandoned.with_name("log"), Cut("EINTR", 0)) == 0
        trace, profile = traced(reference), profiled(reference)

        def judge(directory: Path, others: Path) -> None:
            moved = [path for path in others.iterdir() if (path / "run.json").exists()]
            own = json.loads((directory / "run.json").read_text())
            if moved and own["status"] != "complete":
                (directory,) = moved
                assert "No space" in str(own["notes"]) or not (directory / "parts").exists()
            finished_by_a_reader(directory)
            assert (traced(directory), profiled(directory)) == (trace, profile)

        judge_all_cuts(work, abandoned, judge, every)


@pytest.fixture(scope="module")
def merger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ww-merge as a program that a library can be preloaded into: the shipped one is static."""
    program = tmp_path_factory.mktemp("merger") / "ww-merge"
    native = ROOT / "build" / "release" / "native"
    libraries = ("standalone/libwaywiser_run_directory.a", "trace/libwaywiser_trace.a",
                 "base/libwaywiser_base.a")  # fmt: skip
    source = native / "standalone" / "CMakeFiles" / "ww-merge.dir" / "merge.cpp.o"
    objects = [source, *(native / library for library in libraries)]
    subprocess.run(["c++", *objects, "-o", program], check=True)
    return program


def test_ww_merge(injector: Path, recorded: Path, merger: Path, every: int) -> None:
    def merge(directory: Path, **more: str) -> int:
        done = subprocess.run(
            [merger, directory], env={**os.environ, **more}, check=False, capture_output=True
        )
        return done.returncode

    def document(directory: Path) -> dict[str, object]:
        run_document: dict[str, object] = json.loads((directory / "run.json").read_text())
        return {
            key: value for key, value in run_document.items() if key not in ("started", "ended")
        }

    def work(directory: Path, log: Path, cut: Cut) -> int:
        names = {"DIRECTORY": str(directory), "LOG": str(log), "KIND": cut.fault, "AT": str(cut.at)}
        faults = {f"FAULTS_{name}": value for name, value in names.items()}
        return merge(directory, LD_PRELOAD=str(injector), **faults)

    reference = copied(recorded, recorded.with_name("whole"))
    assert merge(reference) == 0

    whole = [*results(reference), document(reference)]

    def judge(directory: Path, _: Path) -> None:
        merged = merge(directory)
        assert merged == 0 or (directory / "profile.ww").exists()
        assert [*results(directory), document(directory)] == whole
        assert nothing_is_left_to_merge(directory)

    judge_all_cuts(work, recorded, judge, every)


def test_run_json_is_the_old_one_or_the_new_one(injector: Path, tmp_path: Path, every: int) -> None:
    directory = tmp_path / "run"
    directory.mkdir()
    RunDirectory(directory).write_run(synthetic.run(2))
    old = synthetic.run(2).notes

    def judge(directory: Path, _: Path) -> None:
        assert RunDirectory(directory).read_run().notes in (old, ENDED)

    with jobs(injector, "run_json") as work:
        judge_all_cuts(work, directory, judge, min(every, FEW_CALLS))


def test_the_plan_of_a_study_is_the_old_one_or_the_new_one(
    injector: Path, tmp_path: Path, every: int
) -> None:
    directory = tmp_path / "study"
    study = StudyDirectory(directory)
    study.create()
    study.write_plan("# the old one\n", {"point": "old"}, directory)

    def judge(directory: Path, _: Path) -> None:
        left = StudyDirectory(directory)
        text, points = PLAN
        assert left.file.read_text() in ("# the old one\n", text)
        assert left.read_plan() in ({"point": "old"}, points)

    with jobs(injector, "plan") as work:
        judge_all_cuts(work, directory, judge, min(every, FEW_CALLS))
