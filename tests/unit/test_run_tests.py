"""The command of `make test`: three parts, each of which counts, and one of them gives way."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, cases, wait_for
from tools import run_tests, test_times

ARGUMENTS = ["run_tests.py"]


@pytest.mark.parametrize("failing", ["computing", "starting", "alone", ""])
def test_each_part_counts(monkeypatch: pytest.MonkeyPatch, failing: str, tmp_path: Path) -> None:
    """The parts after a failed part are run, too."""

    def words(name: str, marks: list[str], *options: str) -> list[str]:
        ends = f"raise SystemExit({int(name == failing)})"
        return [sys.executable, "-c", f"open({str(tmp_path / name)!r}, 'w'); {ends}"]

    monkeypatch.setattr(run_tests, "words", words)
    monkeypatch.setattr(run_tests, "with_all_that_it_starts", contextlib.nullcontext)
    monkeypatch.setattr(sys, "argv", ARGUMENTS)

    assert run_tests.main() == (1 if failing else 0)
    assert {file.name for file in tmp_path.iterdir()} == {"computing", "starting", "alone"}


def test_what_runs_beside_yields_and_speaks_afterwards(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    autogroup = Path("/proc/self/autogroup")
    program = f"import os; print('priority', os.nice(0)); os.system('cat {autogroup}')"
    with run_tests.beside([sys.executable, "-c", program]) as process:
        assert capfdbinary.readouterr().out == b""

    assert process.returncode == 0
    output = capfdbinary.readouterr().out.decode()
    assert f"priority {os.nice(0) + run_tests.LOWER_PRIORITY}\n" in output
    assert f"nice {run_tests.LOWER_PRIORITY}\n" in output or not autogroup.exists()


FAILING = """
import pathlib, subprocess, time
def test_that_fails(): assert 0
def test_that_starts_others():
    for session in (True, False):
        subprocess.Popen(["sh", "-c", "sleep 1000 & wait"], start_new_session=session)
    pathlib.Path(__file__).with_suffix(".started").touch()
    time.sleep(1000)
"""
SMALL = """
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tools import run_tests
run_tests.ROOT = Path(sys.argv.pop())
sys.exit(run_tests.main())
"""


def sessions() -> list[str]:
    """The kernel's line on each process, including its group and session."""
    statuses = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended
            statuses.append(status.read_text(errors="replace"))
    return statuses


def working_in(directory: Path) -> list[str]:
    """Command lines of processes that work in the directory."""
    commands = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "cwd").readlink() == directory:
                commands.append((process / "cmdline").read_text())
    return commands


@pytest.mark.parametrize("number", cases([signal.SIGTERM], long=[signal.SIGINT]))
def test_a_run_that_is_stopped_says_what_failed_and_leaves_nobody_behind(
    tmp_path: Path, number: signal.Signals
) -> None:
    """SIGINT may be ignored, as in the background of a shell."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = alone\n  long\n")
    for part in (*run_tests.STARTING, *run_tests.COMPUTING):
        (tmp_path / part).mkdir(parents=True)
    started = []
    for part in ("system", "unit"):
        test = tmp_path / "tests" / part / f"test_in_{part}.py"
        test.write_text(FAILING)
        started.append(test.with_suffix(".started"))

    process = subprocess.Popen(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-c", SMALL, tmp_path],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=ROOT,
    )
    try:
        wait_for(lambda: all(file.exists() for file in started) or process.poll() is not None)
        process.send_signal(number)
        output = process.communicate(timeout=1000)[0].decode()
    finally:
        process.kill()
        process.wait()

    assert process.returncode == 130, output
    for part in ("system", "unit"):
        assert f"FAILED tests/{part}/test_in_{part}.py::test_that_fails" in output
    assert working_in(tmp_path) == []


FLAKY = """
import pathlib, pytest
@pytest.mark.flaky(reruns=1)
def test_that_is_repeated():
    assert (pathlib.Path(__file__).with_suffix(".once")).exists() or (
        pathlib.Path(__file__).with_suffix(".once").touch())
"""
BUSY = """
import sys
from pathlib import Path
from tools import busy_tests, run_tests
run_tests.ROOT = Path(sys.argv.pop(1))
sys.exit(busy_tests.main())
"""


QUIET = "def test_it(): pass\n"


@pytest.mark.parametrize("test", cases([FLAKY], long=[QUIET]), ids=["repeated", "quiet"])
def test_on_a_busy_machine_a_repeated_test_has_failed(tmp_path: Path, test: str) -> None:
    """The programs that made the machine busy have ended, too."""
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = long\n")
    (tmp_path / "test_it.py").write_text(test)
    command = [sys.executable, "-c", BUSY, str(tmp_path), "test_it.py"]

    with subprocess.Popen(
        command, cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, text=True
    ) as process:
        output = process.communicate()[0]

    assert ("1 passed, 1 rerun" in output) == (test == FLAKY), output
    assert process.returncode == int(test == FLAKY), output
    assert not any(f" {process.pid} " in session for session in sessions())


@pytest.mark.parametrize("ignored", ["INT", "QUIT", "HUP", "TERM", "USR1"])
def test_what_tests_start_has_the_default_signals(tmp_path: Path, ignored: str) -> None:
    program = (
        "import signal, subprocess; from tests import default_signals; default_signals.restore();"
        f"print(signal.getsignal(signal.SIG{ignored}) is signal.SIG_IGN);"
        f"subprocess.run(['sh', '-c', 'kill -{ignored} $$; echo ignored'])"
    )
    done = subprocess.run(
        ["sh", "-c", f'trap "" {ignored}; exec "$@"', "sh", sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"


def test_times_are_summed_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    test = tmp_path / "tests" / "unit" / "test_quick.py"
    test.parent.mkdir(parents=True)
    test.write_text(
        "def test_a(): sum(range(10_000_000))\nclass TestB:\n    def test_b(self): pass\n"
    )
    report = tmp_path / "tests-quick.xml"
    command = [sys.executable, "-m", "pytest", "-c", "/dev/null", f"--rootdir={tmp_path}"]
    options = ["-p", "tests.conftest", f"--junitxml={report}"]
    subprocess.run([*command, *options, test], cwd=ROOT, check=True, capture_output=True)
    monkeypatch.setattr(test_times, "LOG", tmp_path)

    assert test_times.main() == 0
    first, line = capsys.readouterr().out.splitlines()
    assert first.startswith("tests-quick: ")
    assert line.split()[1::2] == ["s", "s", "tests.unit.test_quick"]
    assert float(line.split()[2]) > 0
    assert line.split()[4] == "2"


def test_without_a_report_it_says_what_writes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(test_times, "LOG", tmp_path)

    assert test_times.main() == 2
    assert "make test" in capsys.readouterr().err
