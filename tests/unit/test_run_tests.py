"""What `make test` calls: three parts, each of which counts, and one of them gives way."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tools import run_tests, test_times

ARGUMENTS = ["run_tests.py"]


@pytest.mark.parametrize("failing", ["computing", "starting", "alone", ""])
def test_each_part_counts(monkeypatch: pytest.MonkeyPatch, failing: str, tmp_path: Path) -> None:
    """Also those after one that has failed are run."""

    def words(name: str, marks: list[str], *options: str) -> list[str]:
        ends = f"raise SystemExit({int(name == failing)})"
        return [sys.executable, "-c", f"open({str(tmp_path / name)!r}, 'w'); {ends}"]

    monkeypatch.setattr(run_tests, "words", words)
    monkeypatch.setattr(sys, "argv", ARGUMENTS)

    assert run_tests.main() == (1 if failing else 0)
    assert {file.name for file in tmp_path.iterdir()} == {"computing", "starting", "alone"}


def test_what_runs_beside_gives_way_and_speaks_afterwards(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    autogroup = Path("/proc/self/autogroup")
    program = f"import os; print('priority', os.nice(0)); os.system('cat {autogroup}')"
    with run_tests.beside([sys.executable, "-c", program]) as process:
        assert capfdbinary.readouterr().out == b""

    assert process.returncode == 0
    said = capfdbinary.readouterr().out.decode()
    assert "priority 19\n" in said
    assert "nice 19\n" in said or not autogroup.exists()


def test_what_runs_beside_does_not_outlive_us() -> None:
    command = [sys.executable, "-c", "import time; time.sleep(100)"]
    started = []

    def interrupted() -> None:
        with run_tests.beside(command) as process:
            started.append(process)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert started[0].returncode == -signal.SIGTERM


def test_times_are_summed_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    test = tmp_path / "tests" / "unit" / "test_quick.py"
    test.parent.mkdir(parents=True)
    test.write_text("def test_a(): pass\nclass TestB:\n    def test_b(self): pass\n")
    report = tmp_path / "tests-quick.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-c", "/dev/null", f"--rootdir={tmp_path}"]
    subprocess.run([*command, f"--junitxml={report}", test], check=True, capture_output=True)
    monkeypatch.setattr(test_times, "LOG", tmp_path)

    assert test_times.main() == 0
    first, line = capsys.readouterr().out.splitlines()
    assert first.startswith("tests-quick: ")
    assert line.split()[1:] == ["s", "2", "tests.unit.test_quick"]


def test_without_a_report_it_says_what_writes_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(test_times, "LOG", tmp_path)

    assert test_times.main() == 2
    assert "make test" in capsys.readouterr().err
