"""Counters of RAPL as the kernel shows them, in a directory that the collector reads instead."""

from __future__ import annotations

from pathlib import Path

RANGE_UJ = 262_143_328_850


def zone(directory: Path, name: str, kind: str, energy_uj: int | str) -> Path:
    """Makes a zone, and returns the file of its counter."""
    place = directory / name
    place.mkdir(parents=True)
    (place / "name").write_text(f"{kind}\n")
    (place / "max_energy_range_uj").write_text(f"{RANGE_UJ}\n")
    counter = place / "energy_uj"
    counter.write_text(f"{energy_uj}\n")
    return counter


def two_packages(directory: Path) -> tuple[Path, Path]:
    """The counters of two packages, the second of which is about to wrap, beside zones that are no
    packages, or are parts of one."""
    zone(directory, "intel-rapl:0:0", "dram", 1)
    zone(directory, "intel-rapl:2", "psys", 1)
    zone(directory, "intel-rapl-mmio:0", "package-0", 1)
    first = zone(directory, "intel-rapl:0", "package-0", 1_000_000)
    return first, zone(directory, "intel-rapl:1", "package-1", RANGE_UJ - 250_000)


def advance(directory: Path) -> float:
    """Lets each zone use energy; returns that of the packages [J]."""
    for name, energy_uj in (("2", 9), ("0:0", 9), ("0", 1_500_000), ("1", 125_000)):
        (directory / f"intel-rapl:{name}" / "energy_uj").write_text(f"{energy_uj}\n")
    return 0.5 + 0.375
