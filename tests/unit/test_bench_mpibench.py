"""Pairs of a benchmark and a peer that the bench measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import mpibench


def chosen(*names: str) -> list[str]:
    pairs = mpibench.pairs_of([*names], ["imb", "osu"])
    return [f"{benchmark.name}:{peer}" for benchmark, peer in pairs]


def test_a_benchmark_is_compared_with_every_peer_that_has_it_or_with_one() -> None:
    assert chosen("sendrecv", "bcast") == ["sendrecv:imb", "bcast:imb", "bcast:osu"]
    assert chosen("bcast:imb", "scatter:osu") == ["bcast:imb", "scatter:osu"]
    assert chosen("bcast", "bcast:imb") == ["bcast:imb", "bcast:osu"]
    assert len(chosen(*(comparison.name for comparison in mpibench.COMPARISONS))) == 13


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--benchmark", "bcast:imb"], "--benchmark …:imb wants --peer imb=PATH"),
        (["--benchmark", "sendrecv:osu"], "invalid choice: 'sendrecv:osu'"),
    ],
)
def test_a_pair_that_cannot_be_measured_is_refused(
    words: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "ww-mpibench"
    program.touch()
    with pytest.raises(SystemExit) as ended:
        mpibench.parse(["--program", str(program), "--mpirun", "/bin/true", *words])

    assert ended.value.code == 2
    assert named in capsys.readouterr().err
