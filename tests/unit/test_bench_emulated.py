"""Results that the bench on emulated networks derives from its samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.common import Record
from bench.emulating.table import half_interval, read_blocks, table_lines, with_table

NETWORKS = {"slow": "50 us, slow", "fast": "20 us, fast"}


def samples(file: Path, title: str, network: str, times: list[float], prediction: float) -> Path:
    lines: list[Record] = [{"host": "a machine"}]
    for time in times:
        predicted: Record = {"time_us": prediction, "mpi_us": prediction / 2}
        block = {"time_us": time, "mpi_us": time - 900}
        lines.append({"title": title, "network": network, "predicted": predicted, **block})
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def test_the_interval_of_a_median_is_that_of_its_order_statistics() -> None:
    """The interval of ten samples goes from the second to the ninth, which hold 97.9 % by the
    binomial distribution; the third and the eighth would hold 89.1 %."""
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 6.0, 7.0, 8.0, 99.0]

    assert half_interval(values) == pytest.approx((8.0 - 2.0) / 2 / 5.0)
    assert half_interval([7.0, 9.0]) == pytest.approx(1 / 8)


def test_the_table_of_a_page_is_computed_from_samples(tmp_path: Path) -> None:
    files = [
        samples(tmp_path / "a", "ring", "slow", [1.0] * 10, 1.0),
        samples(tmp_path / "b", "ring", "slow", [1990.0, 2000.0, 2010.0], 1900.0),
        samples(tmp_path / "c", "ring", "fast", [1000.0] * 3, 1004.0),
        samples(tmp_path / "d", "halo", "fast", [1000.0] * 3, 999.9),
    ]
    page = "# A note\n\n| program | old |\n|---|---|\n| ring | wrong |\n\nWhat follows.\n"

    result = with_table(page, table_lines(read_blocks(files), NETWORKS)).splitlines()

    assert result == [
        "# A note",
        "",
        "| program | 50 us, slow: time | in MPI | 20 us, fast: time | in MPI |",
        "|---|---|---|---|---|",
        "| ring | 1,900 / 2,000 us: -5.0 % (0.5 %) | -14 % (0.9 %) "
        "| 1,004 / 1,000 us: +0.4 % (0.0 %) | +402 % (0.0 %) |",
        "| halo | - | - | 1,000 / 1,000 us: 0.0 % (0.0 %) | +400 % (0.0 %) |",
        "",
        "What follows.",
    ]


def test_a_page_without_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a table whose header begins with"):
        with_table("# A note\n", [])
