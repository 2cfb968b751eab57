"""Fixtures of unit tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.synthetic_jobs import rounds


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, with a traced run of four ranks on two nodes: rank 2 computes 6 ms a
    round and the others 2 ms."""
    monkeypatch.chdir(tmp_path)
    rounds(["n0", "n0", "n1", "n1"], (2.0, 2.0, 6.0, 2.0)).run(tmp_path / "run")
    return tmp_path
