"""Results that each reader finds in outputs of real runs, and other texts that it must reject."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden.cases import CASES, Case
from waywiser.apps.application import Output
from waywiser.apps.table import APPLICATIONS, find
from waywiser.model.reading import Reading

GOLDEN = Path(__file__).parent.parent / "golden" / "apps"


PASSING = [case for case in CASES if not case.failure]


def output_of(directory: Path) -> Output:
    def text(name: str) -> str:
        path = directory / name
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    return Output(text("stdout"), text("stderr"), directory)


def read(case: Case, directory: Path | None = None) -> Reading:
    return find(case.application).read(output_of(directory or GOLDEN / case.directory))


@pytest.mark.parametrize("case", PASSING, ids=lambda case: case.directory)
def test_the_metrics_are_those_of_the_output(case: Case) -> None:
    reading = read(case)

    assert reading.failure == ""
    metrics = {each.name: (each.value, each.unit, str(each.better)) for each in reading.metrics}
    assert metrics.keys() == case.metrics.keys()
    for name, (value, unit, better) in case.metrics.items():
        assert metrics[name][0] == pytest.approx(value, rel=1e-12), name
        assert metrics[name][1:] == (unit, better)
    assert reading.metric(find(case.application).headline) is not None


@pytest.mark.parametrize("case", [c for c in CASES if c.failure], ids=lambda case: case.directory)
def test_a_run_that_failed_has_a_reason_and_no_metrics(case: Case) -> None:
    reading = read(case)

    assert re.search(case.failure, reading.failure)
    assert not reading.metrics


def test_every_application_has_an_output_that_it_reads() -> None:
    assert {case.application for case in PASSING} == set(APPLICATIONS)
    assert {case.directory for case in CASES} == {
        path.name for path in GOLDEN.iterdir() if path.is_dir()
    }


def files_of(case: Case) -> Iterator[Path]:
    yield from (path for path in sorted((GOLDEN / case.directory).iterdir()))


def with_file(case: Case, changed: Path, content: bytes, directory: Path) -> Path:
    """A copy of the run in which one file has other content."""
    for path in files_of(case):
        (directory / path.name).write_bytes(content if path == changed else path.read_bytes())
    return directory


@pytest.mark.parametrize("case", PASSING, ids=lambda case: case.directory)
def test_what_is_cut_off_never_makes_another_metric(case: Case, tmp_path: Path) -> None:
    """Outputs are cut at every byte of the last lines, and beside some of the line feeds."""
    whole = {(each.name, each.value) for each in read(case).metrics}
    seen_failures = 0
    for path in files_of(case):
        content = path.read_bytes()
        ends = [at for at, byte in enumerate(content) if byte == ord("\n")]
        some = ends[:: max(1, len(ends) // 20)]
        cuts = {*range(max(0, len(content) - 60), len(content)), *some, *(e + 1 for e in some)}
        for cut in sorted(cuts):
            reading = read(case, with_file(case, path, content[:cut], tmp_path))
            assert {(each.name, each.value) for each in reading.metrics} <= whole, cut
            seen_failures += bool(reading.failure)
    assert seen_failures


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.directory)
def test_garbage_is_no_crash(case: Case, tmp_path: Path) -> None:
    random_numbers = random.Random(case.directory)
    for path in files_of(case):
        content = path.read_bytes()
        for _ in range(15):
            changed = bytearray(content)
            for _ in range(random_numbers.choice((1, 5, 50))):
                if changed:
                    at = random_numbers.randrange(len(changed))
                    changed[at] = random_numbers.randrange(256)
            start = random_numbers.randrange(len(changed) + 1)
            del changed[start : start + random_numbers.choice((0, 0, 10, 1000))]

            reading = read(case, with_file(case, path, bytes(changed), tmp_path))

            assert bool(reading.failure) != bool(reading.metrics)


@pytest.mark.parametrize("case", PASSING, ids=lambda case: case.directory)
def test_long_lines_of_something_else_do_no_harm(case: Case, tmp_path: Path) -> None:
    """An expression that tried every way to split the lines would not end."""
    length = 200_000
    noise = "\n".join(
        (
            " " * length,
            " x :" + " " * length,
            "9" * length,
            " 1." * (length // 3),
            "a=" * length,
            "",
        )
    )
    for path in files_of(case):
        content = (
            path.read_bytes() if path.suffix == ".json" else noise.encode() + path.read_bytes()
        )
        (tmp_path / path.name).write_bytes(content)

    assert read(case, tmp_path).metrics == read(case).metrics


@pytest.mark.parametrize("case", PASSING, ids=lambda case: case.directory)
def test_a_headline_that_is_no_number_is_a_failure(case: Case, tmp_path: Path) -> None:
    """All digits of the metrics become those of nan and inf: nothing passes for a success."""
    for word in (b"nan", b"inf", b"-nan", b"********"):
        directory = tmp_path
        for path in files_of(case):
            content = path.read_bytes()
            broken = re.sub(rb"(?<![\w.])\d+\.\d+(?:e[-+]?\d+)?", word, content)
            (directory / path.name).write_bytes(broken)

        assert read(case, directory).failure
