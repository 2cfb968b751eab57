"""Every output of an application in tests/golden/apps, with what a human reads in it."""

from __future__ import annotations

from tests.golden.applications import APPLICATIONS
from tests.golden.benchmarks import BENCHMARKS
from tests.golden.suites import SUITES
from tests.golden.workloads import WORKLOADS

CASES = (*APPLICATIONS, *BENCHMARKS, *SUITES, *WORKLOADS)
