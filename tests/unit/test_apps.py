"""The table of applications and its page, and outputs that cannot be what they seem."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest

from tests.golden.cases import Case
from tests.support import ROOT
from tests.unit.test_apps_golden import GOLDEN, PASSING, output_of
from waywiser.apps.application import Output
from waywiser.apps.espresso import seconds
from waywiser.apps.table import APPLICATIONS, find
from waywiser.errors import InvalidCommand
from waywiser.model.reading import Reading

PAGE = (ROOT / "docs" / "reference" / "applications.md").read_text(encoding="utf-8")


def changed(application: str, text: str, directory: Path) -> Reading:
    return find(application).read(Output(text, "", directory))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.05s", 0.05),
        ("   .05s", 0.05),
        ("1m23.45s", 83.45),
        ("1m 3.45s", 63.45),
        ("1h 2m", 3720),
        ("2d 1h 0m", 176400),
        ("********", None),
        ("", None),
    ],
)
def test_durations_of_quantum_espresso(text: str, expected: float | None) -> None:
    assert seconds(text) == (None if expected is None else pytest.approx(expected))


def test_a_number_of_too_many_digits_is_a_failure(tmp_path: Path) -> None:
    text = output_of(GOLDEN / "lammps-two-runs").stdout.replace(
        "for 200 steps", f"for {'9' * 5000} steps"
    )

    assert "LAMMPS: its output is damaged" in changed("lammps", text, tmp_path).failure


@pytest.mark.parametrize("name", APPLICATIONS)
def test_nothing_at_all_is_a_failure_that_says_what_was_looked_for(
    name: str, tmp_path: Path
) -> None:
    failure = changed(name, "", tmp_path).failure

    assert re.search(r"'.+'|hpccoutf\.txt|loop_time", failure)


def test_an_unknown_application_lists_those_there_are() -> None:
    with pytest.raises(InvalidCommand, match=r"no application cp2k.*lammps, quantum-espresso"):
        find("cp2k")


def test_the_page_lists_every_application() -> None:
    for application in APPLICATIONS.values():
        row = (
            f"| `{application.name}` | {application.title} | `{application.headline}` | "
            f"{application.documents} | {application.success} |"
        )
        assert row in PAGE, f"docs/reference/applications.md lacks this row:\n{row}"


@pytest.mark.parametrize("case", PASSING, ids=lambda case: case.directory)
def test_the_page_names_every_metric(case: Case) -> None:
    title = APPLICATIONS[case.application].title
    part = next(part for part in PAGE.split("\n### ")[1:] if title in part.partition("\n")[0])
    named_by_size = case.application in ("imb", "osu", "mpibench", "comm")

    for name, (_, unit, _) in case.metrics.items():
        if not named_by_size:
            assert f"`{name}`" in part
        assert unit in part


def test_an_outcar_is_not_held_as_a_whole(tmp_path: Path) -> None:
    """Eigenvalues and forces make it hundreds of times what is read of it."""
    numbers = f"{'   -12.3456789' * 6}\n" * 100_000
    plain = (GOLDEN / "vasp-5.4-synthetic" / "OUTCAR").read_text()
    begin, end = plain.split("\n\n", 1)
    size = len(numbers)
    (tmp_path / "OUTCAR").write_text(f"{begin}\n{numbers}{end}")

    tracemalloc.start()
    try:
        reading = find("vasp").read(Output("", "", tmp_path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert reading.metrics == find("vasp").read(output_of(GOLDEN / "vasp-5.4-synthetic")).metrics
    assert peak < size / 4
