"""HPL: its table of tests with the residual checks (HPL 2.3, "HPL Tuning")."""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import metric, whole_lines
from waywiser.model.reading import Reading
from waywiser.units import counted

FILE = "HPL.out"
TEST = re.compile(r"^W[RC]\S+ +\d+ +\d+ +\d+ +\d+ +(\S+) +(\S+)$", re.MULTILINE)
TALLY = re.compile(
    r"^Finished +(\d+) tests with .*\n"
    r" +(\d+) tests completed and passed residual checks,\n"
    r" +(\d+) tests completed and failed residual checks,",
    re.MULTILINE,
)


def read(output: Output) -> Reading:
    text = whole_lines(output.stdout)
    if not TEST.search(text):
        text = whole_lines(output.file(FILE))
    tally = TALLY.search(text)
    if tally is None or "End of Tests." not in text:
        raise NoResult(
            f"HPL did not finish: there is no 'End of Tests.' in standard output or {FILE}"
        )
    count, passed, failed = map(int, tally.groups())
    if failed or passed < count:
        raise NoResult(f"HPL: {failed} of {count} tests failed their residual check")
    tests = [
        (metric("performance", rate, "GFLOP/s", "higher"), metric("time", time, "s", "lower"))
        for time, rate in TEST.findall(text)
    ]
    if len(tests) != count or not tests:
        raise NoResult(
            f"HPL: {counted(count, 'test')} finished, but {len(tests)} have a performance"
        )
    best = max(tests, key=lambda test: test[0].value)
    taken = f"HPL made {counted(count, 'test')}; the metrics are those of the fastest."
    return Reading(metrics=best, remarks=(taken,) if count > 1 else ())


HPL = Application(
    name="hpl",
    title="HPL",
    headline="performance",
    reader=read,
    version=r"^HPLinpack (\S+)",
    documents=f"standard output, or `{FILE}`: the fastest of the tests",
    success="`End of Tests.`, and every residual check passed",
)
