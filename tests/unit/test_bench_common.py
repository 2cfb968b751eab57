"""Shared parts of the benchmarks, and that each file that `make bench` lists is a benchmark."""

from __future__ import annotations

import importlib
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from bench import common
from tests.support import ROOT

BENCHES = sorted(
    path.stem for path in (ROOT / "bench").glob("*.py") if path.stem not in ("__main__", "common")
)


@pytest.mark.parametrize("name", BENCHES)
def test_every_benchmark_says_what_it_measures(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"bench.{name}").main(["--help"])

    assert ended.value.code == 0
    output = capsys.readouterr().out
    assert "--bars" in output
    assert f"bench/results/{name}.jsonl" in "".join(output.split())


def test_a_program_that_fails_ends_the_benchmark_with_its_words(tmp_path: Path) -> None:
    program = [sys.executable, "-c", "import os, sys; print(os.environ['N']); sys.exit('no room')"]

    with pytest.raises(SystemExit, match=r"python.* ended with 1: 5\nno room"):
        common.run(program, tmp_path, N="5")

    assert common.run([sys.executable, "-c", "import os; print(os.getcwd())"], tmp_path) == (
        f"{tmp_path}\n"
    )


def test_one_rank_needs_no_launcher() -> None:
    args = Namespace(mpirun="mpirun", mpirun_option=["--oversubscribe"])

    assert common.launch(args, 1) == []
    assert common.launch(args, 2) == ["mpirun", "--oversubscribe", "-n", "2"]
