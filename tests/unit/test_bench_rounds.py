"""The rounds of bench.lattice, bench.shallow and bench.spectral, with programs that are made up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench import lattice, shallow, spectral

FRACTION = {"vector": 0.85, "two-row": 0.7, 16: 0.4, 32: 0.6}
FRACTIONS = iter([0.5, 0.9, 0.7])


def run_variant(_args: object, variant: str, *_: object) -> list[dict[str, Any]]:
    hop = {"sites_per_s": 1e7, "roofline": {"fraction": FRACTION[variant]}}
    seconds = {"vector": 0.013, "two-row": 0.010}[variant]
    return [
        {"phase": "cg", "variant": variant, "seconds": 1.0, "details": {}},
        {"phase": "hop", "variant": variant, "seconds": seconds, "details": hop},
    ]


def run_block(_args: object, block: int, _directory: object) -> dict[str, Any]:
    details = {"cell_levels_per_s": 5e6, "roofline": {"fraction": FRACTION[block]}}
    return {"seconds": 1.0, "details": details}


def run_once(*_: object) -> list[dict[str, Any]]:
    details = {"legendre": {"fraction": next(FRACTIONS)}, "points_per_s": 2e6}
    return [
        {"phase": "round-trip", "details": details},
        {"phase": "vorticity", "details": {"legendre": {"fraction": 0.1}}},
    ]


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "ww-program"
    path.touch(mode=0o755)
    return path


@pytest.mark.parametrize(
    ("bench", "run", "options", "samples", "values", "says"),
    [
        (
            lattice,
            run_variant,
            ["--rounds=2", "--threads", "1", "2"],
            {0: 8, 1: 8},
            [0.85, 1.3, 0.85, 1.3],
            "2 core(s), two-row      10.000 Msite/s, 0.70 of its bound, 1.30 times",
        ),
        (
            shallow,
            run_block,
            ["--rounds=2", "--blocks", "16", "32"],
            {0: 2, 1: 2},
            [0.6],
            "blocks of  16 cells:    5.000 Mcell-levels/s, 0.40 of their bound",
        ),
        (
            spectral,
            run_once,
            ["--rounds=3"],
            {0: 2, 1: 2, 2: 2},
            [0.7],
            "2.000 Mpoint/s, Legendre transforms 0.70 of dgemm",
        ),
    ],
    ids=["lattice", "shallow", "spectral"],
)
def test_bars_and_words_are_of_the_medians_of_the_rounds(
    bench: ModuleType,
    run: Any,
    options: list[str],
    samples: dict[int, int],
    values: list[float],
    says: str,
    program: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(bench, run.__name__, run)
    args = bench.parse([f"--program={program}", *options])
    taken: list[dict[str, Any]] = []

    rounds = bench.measure(args, program.parent, taken.append)
    bench.show(rounds)
    bars = bench.bars(args, rounds)

    assert Counter(sample["round"] for sample in taken) == samples
    assert [bar["value"] for bar in bars] == pytest.approx(values)
    assert all(bar["holds"] == (bar["value"] >= float(bar["wanted"][2:])) for bar in bars)
    assert says in capsys.readouterr().out


@pytest.mark.parametrize("bench", [lattice, shallow, spectral])
def test_what_is_below_1_is_refused(bench: ModuleType, program: Path) -> None:
    with pytest.raises(SystemExit):
        bench.parse([f"--program={program}", "--rounds=0"])
