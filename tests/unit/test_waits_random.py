"""The wait analysis against random programs that are played out on paper."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests import delays_on_paper, random_programs
from tests.delays_on_paper import Cause, Interval, Origin, Sum
from tests.support import cases
from tests.unit.test_waits import check_sums, waits
from waywiser.native import _native as native


@pytest.mark.parametrize("seed", cases(range(0, 40, 4), long=range(40)))
def test_waits_and_critical_path_are_those_of_the_schedule(tmp_path: Path, seed: int) -> None:
    ranks = 2 + seed % 7
    program = random_programs.generate(seed, ranks, phases=5 + seed * 3)
    path = random_programs.write(program, tmp_path / "trace.ww")

    analysis = native.analyse_waits(path)

    check_sums(analysis)
    assert analysis.remarks == []
    assert (analysis.unmatched_sends, analysis.unmatched_receives) == (0, 0)
    for rank in analysis.ranks:
        index = int(rank.rank)
        assert waits(analysis, index) == random_programs.waits(program, index)
    expected = random_programs.critical_path(program)
    by_function: dict[tuple[int, bool, str], int] = {}
    for place in analysis.critical_path:
        first = place.place.function == native.BEFORE_CALLS
        name = "" if first else analysis.functions[place.place.function].removeprefix("MPI_")
        key = (place.rank, place.computing, name)
        by_function[key] = by_function.get(key, 0) + place.ns
    assert by_function == expected


@pytest.mark.parametrize("seed", cases(range(0, 140, 5), long=range(140)))
def test_root_causes_are_those_of_the_definition(tmp_path: Path, seed: int) -> None:
    program = random_programs.generate(seed, ranks=2 + seed % 5, phases=3 + seed)
    path = random_programs.write(program, tmp_path / "trace.ww")

    analysis = native.analyse_waits(path)

    causes = {}
    for cause in analysis.causes:
        ends = [
            "" if end.function == native.BEFORE_CALLS else name(analysis, end)
            for end in (cause.before, cause.after)
        ]
        origin = Origin(cause.causing_rank, Interval(cause.computing, *ends))
        key = Cause(cause.wait, name(analysis, cause.waiting), origin)
        causes[key] = Sum(cause.ns, cause.calls, cause.direct_ns)
    assert causes == delays_on_paper.causes(program)


def name(analysis: native.WaitAnalysis, place: native.Place) -> str:
    return analysis.functions[place.function].removeprefix("MPI_")


@pytest.mark.parametrize("seed", range(20))
def test_a_trace_that_lacks_calls_ends_with_what_can_be_matched(tmp_path: Path, seed: int) -> None:
    """Ranks end early, and calls were dropped in between: no answer is known, but sums hold."""
    chance = random.Random(seed)
    ranks = 2 + seed % 5
    program = random_programs.generate(seed, ranks, phases=60)
    for events in program.events:
        if chance.random() < 0.5:
            del events[chance.randrange(len(events)) :]
        for _ in range(chance.randrange(4)):
            if events:
                del events[chance.randrange(len(events))]
    path = random_programs.write(program, tmp_path / "trace.ww", killed=range(ranks))

    analysis = native.analyse_waits(path)

    check_sums(analysis)
