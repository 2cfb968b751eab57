"""Verbs that only read a study do not change it, and work in read-only directories."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from tests.small_study import Study, entries
from tests.support import BIN, succeeded

COMMON = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
"""Makes root a user whom the permissions of files concern."""

LOOKS = (("status",), ("status", "--json"), ("report", "--json"))


def looked(study: Study, *words: str) -> str:
    command = [*COMMON, str(BIN / "waywiser"), "study", *words, str(study.file)]
    done = succeeded(subprocess.run(command, check=False, capture_output=True, text=True))
    return done.stdout


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = Study(tmp_path_factory.mktemp("looks"), [1])
    done = subprocess.run([str(BIN / "waywiser"), "study", "run", str(study.file)], check=False)
    assert done.returncode == 0
    return study


@pytest.fixture
def uncollected(ended: Study) -> Study:
    """A study of which a run is as its job leaves it: nobody has collected it."""
    file = ended.directory / "runs" / "small" / "b002" / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"result": None}))
    (ended.directory / "work" / "small" / "b002").mkdir(parents=True, exist_ok=True)
    return ended


@pytest.mark.parametrize("words", LOOKS, ids=" ".join)
def test_looking_changes_nothing(uncollected: Study, words: tuple[str, ...]) -> None:
    before = entries(uncollected.home)

    looked(uncollected, *words)

    assert entries(uncollected.home) == before


def test_looking_needs_no_permission_to_write(uncollected: Study) -> None:
    paths = [uncollected.directory, *uncollected.directory.rglob("*")]
    modes = {path: path.stat().st_mode for path in paths}
    for path, mode in modes.items():
        path.chmod(mode & 0o555)
    try:
        assert subprocess.run([*COMMON, "test", "-w", str(paths[0])], check=False).returncode == 1
        status = json.loads(looked(uncollected, "status", "--json"))
        findings = json.loads(looked(uncollected, "report", "--json"))
    finally:
        for path, mode in modes.items():
            path.chmod(mode)

    assert (status["done"], status["missing"]) == (3, 0)
    assert sum(configuration["runs"] for configuration in findings["configurations"]) == 2


def test_collecting_keeps_what_looking_has_seen(uncollected: Study) -> None:
    place = "small/b002"
    assert uncollected.results()[place] is None
    output = looked(uncollected, "status", "--json")
    findings = looked(uncollected, "report", "--json")

    assert looked(uncollected, "collect").startswith("3 runs collected")

    result = uncollected.results()[place]
    assert result["reading"]["metrics"][0]["value"] == 1
    assert not list(uncollected.directory.glob("work/*/*"))
    assert looked(uncollected, "status", "--json") == output
    assert looked(uncollected, "report", "--json") == findings
