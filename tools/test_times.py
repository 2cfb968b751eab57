"""Where the time of the last `make test` went: seconds and tests by file, the longest first."""

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
        times = defaultdict[str, list[float]](list)
        for case in ElementTree.parse(file).iter("testcase"):
            name = ".".join(case.get("classname", "").split(".")[:3])  # without the test's class
            times[name].append(float(case.get("time", "0")))
        print(f"{file.stem}: {sum(map(sum, times.values())):.0f} s")
        for name, each in sorted(times.items(), key=lambda item: -sum(item[1])):
            print(f"{sum(each):8.1f} s  {len(each):5d}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
