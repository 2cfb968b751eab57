"""Prints the times of the last `make test` by file: processor time, wall time and number of tests;
the largest processor time first."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

LOG = Path(__file__).resolve().parent.parent / "build" / "log"


def main() -> int:
    files = sorted(LOG.glob("tests-*.xml"))
    if not files:
        print(f"test_times: there is no {LOG}/tests-*.xml, of `make test`", file=sys.stderr)
        return 2
    for file in files:
        times = by_file(file)
        used, taken, _ = (sum(column) for column in zip(*times.values(), strict=True))
        print(f"{file.stem}: {used:.0f} s of processor time, {taken:.0f} s")
        for name, (used, taken, tests) in sorted(times.items(), key=lambda item: -item[1][0]):
            print(f"{used:8.1f} s  {taken:8.1f} s  {tests:5d}  {name}")
    return 0


def by_file(report: Path) -> dict[str, tuple[float, float, int]]:
    """Processor time, wall time and number of tests of each file of a junit report."""
    times = defaultdict[str, tuple[float, float, int]](lambda: (0.0, 0.0, 0))
    for case in ElementTree.parse(report).iter("testcase"):
        name = ".".join(case.get("classname", "").split(".")[:3])  # without the test's class
        used, taken, tests = times[name]
        times[name] = (
            used + processor_seconds(case),
            taken + float(case.get("time", "0")),
            tests + 1,
        )
    return times


def processor_seconds(case: ElementTree.Element) -> float:
    """Processor time of a test, as `tests/conftest.py` records it; 0 if it is not recorded."""
    result = case.find("properties/property[@name='processor_seconds']")
    return 0.0 if result is None else float(result.get("value", "0"))


if __name__ == "__main__":
    sys.exit(main())
