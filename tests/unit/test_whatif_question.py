"""The options of `waywiser whatif`, and their errors."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from waywiser.analyse.whatif.network import Cost, Part
from waywiser.analyse.whatif.quantity import (
    UNLIMITED,
    Change,
    bandwidth_of,
    factor_of,
    latency_of,
    noise_of,
    size_of,
    whole_of,
)
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.sweep import range_of
from waywiser.errors import InvalidCommand


@pytest.mark.parametrize(
    ("parse", "text", "value"),
    [
        (latency_of, "1.5us", Change(1500.0)),
        (latency_of, "1.5 µs", Change(1500.0)),
        (latency_of, "0ns", Change(0.0)),
        (latency_of, "2e-3s", Change(2e6)),
        (latency_of, "x0.5", Change(0.5, relative=True)),
        (latency_of, "x0", Change(0.0, relative=True)),
        (bandwidth_of, "12.5GB/s", Change(12.5e9)),
        (bandwidth_of, "100Gbit/s", Change(12.5e9)),
        (bandwidth_of, "800Mbit/s", Change(1e8)),
        (bandwidth_of, "x2", Change(2.0, relative=True)),
        (factor_of, "1.5", 1.5),
        (factor_of, "x1.5", 1.5),
        (noise_of, "0", 0.0),
        (noise_of, "2.5", 0.025),
        (noise_of, "20 %", 0.2),
        (whole_of, "16", 16),
        (size_of, "4096", 4096),
        (size_of, "64KiB", 65536),
        (size_of, "64kB", 64000),
        (size_of, "unlimited", UNLIMITED),
    ],
)
def test_values_with_units(parse: Callable[[str, str], Any], text: str, value: Any) -> None:
    assert parse("--option", text) == value


@pytest.mark.parametrize(
    ("parse", "text"),
    [
        *((latency_of, text) for text in ("1", "1GB/s", "us", "-1us", "x", "2x", "x-1", "infs")),
        *((bandwidth_of, text) for text in ("1", "1us", "0GB/s", "x0", "1GB", "nan GB/s")),
        *((factor_of, text) for text in ("0", "-1", "fast", "inf", "")),
        *((whole_of, text) for text in ("0", "1.5", "-2", "many", "10000000000")),
        *((size_of, text) for text in ("64KB!", "-1", "KiB", "no limit")),
    ],
)
def test_bad_values_are_named_with_what_is_expected(
    parse: Callable[[str, str], Any], text: str
) -> None:
    with pytest.raises(InvalidCommand, match=re.escape(f"--option {text}: expected ")):
        parse("--option", text)


TWO = Part(
    (Cost(1024, 1000.0, 300.0, 400.0, 2.0), Cost(None, 3000.0, 300.0, 400.0, 0.5)), 1024, "m"
)


def test_latency_is_that_of_short_messages_and_changes_others_in_proportion() -> None:
    assert [cost.latency_ns for cost in TWO.with_latency(Change(500.0)).costs] == [500.0, 1500.0]
    assert [c.latency_ns for c in TWO.with_latency(Change(3.0, True)).costs] == [3000.0, 9000.0]
    unmoved = TWO.with_latency(Change(500.0)).costs[1]
    assert (unmoved.overhead_ns, unmoved.gap_ns, unmoved.ns_per_byte) == (300.0, 400.0, 0.5)


def test_bandwidth_is_that_of_long_messages_and_changes_others_in_proportion() -> None:
    assert [c.ns_per_byte for c in TWO.with_bandwidth(Change(4e9)).costs] == [1.0, 0.25]
    assert [c.ns_per_byte for c in TWO.with_bandwidth(Change(2.0, True)).costs] == [1.0, 0.25]
    unmoved = TWO.with_bandwidth(Change(4e9)).costs[0]
    assert (unmoved.latency_ns, unmoved.overhead_ns) == (1000.0, 300.0)


def test_a_latency_of_nothing_can_be_set_but_not_multiplied() -> None:
    none = TWO.with_latency(Change(0.0))

    assert [c.latency_ns for c in none.costs] == [0.0, 0.0]
    assert [c.latency_ns for c in none.with_latency(Change(70.0)).costs] == [70.0, 70.0]
    assert [c.latency_ns for c in none.with_latency(Change(2.0, True)).costs] == [0.0, 0.0]


def test_a_bandwidth_that_is_not_known_is_not_changed() -> None:
    free = Part((Cost(None, 1.0, 0.0, 0.0, 0.0),), 1, "this trace")

    with pytest.raises(InvalidCommand, match="the bandwidth of this trace is not known"):
        free.with_bandwidth(Change(2.0, True))


def test_the_ideal_network_keeps_its_eager_limit() -> None:
    ideal = TWO.ideal()

    assert ideal.costs == (Cost(None, 0.0, 0.0, 0.0, 0.0, 0.0),)
    assert ideal.eager_limit_bytes == 1024


def test_a_range_has_steps_of_equal_ratio() -> None:
    axis = range_of("latency=1us:100us:5")

    assert np.allclose(axis.values, [1e3, 10**3.5, 1e4, 10**4.5, 1e5])
    assert axis.shown(axis.values[-1]) == pytest.approx(100.0)
    assert axis.unit == "us"
    assert axis.with_value(Question(), 2e3).latency == Change(2e3)
    assert len(range_of("bandwidth=1GB/s:10GB/s").values) == 13


def test_a_range_of_factors_and_a_list() -> None:
    axis = range_of("bandwidth=x0.1:x10:3")

    assert axis.unit == "x"
    assert np.allclose(axis.values, [0.1, 1.0, 10.0])
    assert axis.with_value(Question(), 0.1).bandwidth == Change(0.1, relative=True)
    assert range_of("cpu=2,1,4").values == (1.0, 2.0, 4.0)


def test_a_range_of_whole_numbers_doubles() -> None:
    axis = range_of("ranks-per-node=1:12")

    assert axis.values == (1.0, 2.0, 4.0, 8.0, 12.0)
    ranks_per_node = axis.with_value(Question(), 8.0).ranks_per_node
    assert ranks_per_node == 8
    assert isinstance(ranks_per_node, int)
    assert range_of("eager-limit=4KiB:16KiB").values == (4096.0, 8192.0, 16384.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("speed=1:2", "AXIS is one of latency, bandwidth, cpu, noise, ranks-per-node, eager-limit"),
        ("latency", "expected AXIS=FROM:TO"),
        ("latency=", "expected AXIS=FROM:TO"),
        ("latency=1us:2GB/s", "--sweep latency 2GB/s: expected a value such as 1.5us"),
        ("latency=2us:1us", "FROM to be more than 0, and TO more"),
        ("latency=0us:1us", "FROM to be more than 0, and TO more"),
        ("latency=x1:2us", "all values with a unit, or all as factors"),
        ("latency=1us:2us:1", "of 2 to 1000 points"),
        ("latency=1us:2us:5000", "of 2 to 1000 points"),
        ("latency=1us:2us:3:4", "of 2 to 1000 points"),
        ("eager-limit=1KiB:unlimited", "expected sizes; --eager-limit unlimited asks for no limit"),
        ("eager-limit=1KiB,unlimited", "expected sizes; --eager-limit unlimited asks for no limit"),
        ("latency=5us", "expected two or more values; for one, use --latency 5us"),
        ("latency=1us-9us", "--sweep latency 1us-9us: expected a value such as 1.5us"),
        ("cpu=2,2", "expected two or more values"),
        (
            "ranks-per-node=1:64:3",
            "values double from FROM to TO; drop :3, or give the values as A,B,C",
        ),
    ],
)
def test_bad_sweeps(text: str, message: str) -> None:
    with pytest.raises(InvalidCommand, match=re.escape(message)):
        range_of(text)


def test_changes_in_words() -> None:
    question = Question(
        machine="archer2",
        latency=Change(500.0),
        bandwidth=Change(2.0, relative=True),
        eager_limit_bytes=UNLIMITED,
        placement="best",
        collectives={"allreduce": "ring"},
        cpu=1.5,
        balanced=True,
        progress="asynchronous",
    )

    assert question.changes == (
        "on archer2",
        "latency 500 ns",
        "bandwidth x 2",
        "eager limit none",
        "placement best",
        "allreduce by ring",
        "computation 1.50 times as fast",
        "computation balanced over the ranks",
        "messages progress while ranks compute",
    )
    assert Question().changes == ()
