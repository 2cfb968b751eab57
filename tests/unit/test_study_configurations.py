"""Axes become configurations, and conditions are arithmetic and nothing else."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from waywiser.errors import InvalidCommand
from waywiser.model.study import NAME, Study
from waywiser.study.condition import evaluate
from waywiser.study.configurations import MOST_COMBINATIONS, Configuration, configurations_of


def configurations(
    axes: str = "", rest: str = "", mpi: str = '["a", "b"]'
) -> tuple[Configuration, ...]:
    text = f'title = "t"\nmpi = {mpi}\n{rest}\n[application.x]\nprogram = "p"\n[axes]\n{axes}\n'
    return configurations_of(Study.model_validate(tomllib.loads(text)))


def column(expanded: tuple[Configuration, ...], axis: str) -> list[Any]:
    return [configuration.values[axis] for configuration in expanded]


def test_axes_are_crossed_in_the_order_of_the_file() -> None:
    expanded = configurations("ranks = [1, 2]\nsize = [10, 20]")

    assert [configuration.name for configuration in expanded] == [
        *("a-r1-size10", "a-r1-size20", "a-r2-size10", "a-r2-size20"),
        *("b-r1-size10", "b-r1-size20", "b-r2-size10", "b-r2-size20"),
    ]
    assert expanded[3].values == {
        **{"application": "x", "mpi": "a", "nodes": 1, "ranks": 2, "threads": 1, "size": 20}
    }


def test_axes_that_are_zipped_go_together() -> None:
    expanded = configurations(
        "ranks = [1, 8]\nnx = [10, 20]\nmode = [1, 2]", 'zip = [["ranks", "nx"]]'
    )

    pairs = {
        (configuration.values["ranks"], configuration.values["nx"]) for configuration in expanded
    }
    assert pairs == {(1, 10), (8, 20)}
    assert len(expanded) == 2 * 2 * 2


def test_configurations_are_excluded_by_all_their_keys() -> None:
    expanded = configurations("ranks = [1, 2, 4]", 'exclude = [{mpi = "b", ranks = [2, 4]}]')

    assert [configuration.name for configuration in expanded] == ["a-r1", "a-r2", "a-r4", "b-r1"]


def test_a_condition_keeps_configurations() -> None:
    expanded = configurations(
        "ranks = [1, 2, 4]\nndiag = [1, 4]", 'when = ["ndiag <= ranks", "mpi == \'a\'"]'
    )

    assert list(zip(column(expanded, "ranks"), column(expanded, "ndiag"), strict=True)) == [
        *((1, 1), (2, 1), (4, 1), (4, 4))
    ]


def test_a_condition_fills_nodes_with_threads_and_free_cores() -> None:
    text = """
title = "t"
when = ["ranks * (threads + free_cores) == 16"]
[application.plain]
program = "p"
[application.thread]
program = "p"
free_cores = 1
[axes]
ranks = [1, 2]
threads = [7, 8, 15, 16]
"""
    expanded = configurations_of(Study.model_validate(tomllib.loads(text)))

    assert [configuration.name for configuration in expanded] == [
        *("plain-r1-t16", "plain-r2-t8", "thread-r1-t15", "thread-r2-t7")
    ]
    assert {configuration.cores for configuration in expanded} == {16}


def test_an_axis_may_be_called_free_cores() -> None:
    expanded = configurations("free_cores = [1, 2]", 'when = ["free_cores == 2"]', mpi='["a"]')

    assert column(expanded, "free_cores") == [2]


def test_a_level_brings_its_values_and_settings() -> None:
    expanded = configurations(
        'mesh = [{name = "small", values = {nx = 10}, arguments = ["-q"]}, '
        '{name = "large", values = {nx = 99}}]',
        mpi='["a"]',
    )

    assert column(expanded, "nx") == [10, 99]
    assert [configuration.levels[0].arguments for configuration in expanded] == [("-q",), ()]
    assert [configuration.name for configuration in expanded] == ["small-nx10", "large-nx99"]


def test_ranks_follow_from_nodes() -> None:
    expanded = configurations("nodes = [1, 2]\nranks_per_node = [3]", mpi='["a"]')

    assert column(expanded, "ranks") == [3, 6]


def test_an_application_runs_with_its_libraries_only() -> None:
    text = """
title = "t"
mpi = ["a", "b"]
[application.x]
program = "p"
mpi = ["b"]
[application.y]
program = "q"
"""
    expanded = configurations_of(Study.model_validate(tomllib.loads(text)))

    assert [configuration.name for configuration in expanded] == ["x-b", "y-a", "y-b"]


def test_a_configuration_occupies_the_cores_that_it_leaves_free() -> None:
    text = (
        'title = "t"\n[application.x]\nprogram = "p"\nfree_cores = 1\n'
        "[axes]\nranks = 4\nthreads = 7\n"
    )
    (configuration,) = configurations_of(Study.model_validate(tomllib.loads(text)))

    assert configuration.cores == 32
    assert configuration.name == "x"


@pytest.mark.parametrize(
    "axes",
    [
        'v = ["a/b", "a b", "a_b", "a:b"]',
        'v = [".", "..", "-", ""]',
        'v = ["1", 1, 1.0, true]',
        'v = ["../../etc", "x\\u0001y", "é", "\\n"]',
        'v = ["a", "b"]\nw = ["a-b", "b-a"]',
    ],
)
def test_names_are_unique_and_fit_for_a_directory(axes: str) -> None:
    expanded = configurations(axes)

    names = [configuration.name for configuration in expanded]
    assert len(set(names)) == len(names)
    assert all(NAME.fullmatch(name) for name in names)


def test_braces_are_the_configurations_values() -> None:
    (configuration,) = configurations("ranks = 4\nsize = 1.5", mpi='["a"]')

    assert configuration.fill("{ranks}x{size} of {mpi}") == "4x1.5 of a"
    assert configuration.fill("{{ranks}} ${{HOME}} {} { ranks }") == "{ranks} ${HOME} {} { ranks }"
    assert configuration.fill("{other}", {"other": 7}) == "7"


def test_a_value_with_braces_is_not_filled_again() -> None:
    (configuration,) = configurations('v = "{ranks}"', mpi='["a"]')

    assert configuration.fill("{v}") == "{ranks}"


def test_braces_without_a_value_are_refused() -> None:
    (configuration,) = configurations(mpi='["a"]')

    with pytest.raises(InvalidCommand, match=r"no value rank \(did you mean ranks\?\); there are"):
        configuration.fill("{rank}")


def test_no_configuration_at_all_is_refused() -> None:
    with pytest.raises(InvalidCommand, match="no configuration is left"):
        configurations("ranks = [1, 2]", 'when = ["ranks > 2"]')


def test_more_combinations_than_can_be_meant_are_refused() -> None:
    axes = "\n".join(f"a{i} = {list(range(20))}" for i in range(10))

    with pytest.raises(InvalidCommand, match=f"at most {MOST_COMBINATIONS:,}"):
        configurations(axes)


@pytest.mark.parametrize(
    ("level", "says"),
    [
        ('values = {ranks = "four"}', 'ranks = "four": expected a whole number from 1 on'),
        ("values = {nodes = 0}", "nodes = 0: expected a whole number"),
        ("values = {threads = true}", "threads = true: expected a whole number"),
        ("values = {ranks_per_node = 1.5}", "ranks_per_node = 1.5: expected a whole number"),
        ('values = {mpi = "other"}', "a level cannot choose mpi"),
        ('values = {application = "x"}', "a level cannot choose application"),
    ],
)
def test_a_level_cannot_set_what_is_no_count(level: str, says: str) -> None:
    with pytest.raises(InvalidCommand, match=says):
        configurations(f'mode = [{{name = "m", {level}}}]')


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 - 4", 3),
        ("7 / 2", 3.5),
        ("7 // 2", 3),
        ("-7 % 3", 2),
        ("n * n", 16),
        ("1 < n <= 4", True),
        ("n == 4 and name == 'x'", True),
        ("n != 4 or not on", False),
        ("n in [1, 2, 4]", True),
        ("name not in ('x', 'y')", False),
        ("  (n)\n", 4),
    ],
)
def test_arithmetic_is_evaluated(text: str, value: object) -> None:
    assert evaluate(text, {"n": 4, "name": "x", "on": True}) == value


@pytest.mark.parametrize(
    "text",
    [
        *("__import__('os')", "n.real", "n[0]", "name[0]", "n ** n", "1 << 99", "lambda: 1"),
        *("[x for x in [1]]", "{1: 2}", "{1}", "f'{n}'", "n if n else 1", "(n := 3)", "~n"),
        *("'a' * 9", "name + name", "print(1)", "exec('1')", "other", "1 +", "", "a b", "1 / 0"),
        *("1 % 0", "1.0 // 0", "1 in 5", "'a' < 1", "b'x' == 1", "1j", "...", "None", "\0", "()("),
        *("(" * 300, "-" * 4000 + "1", "1" * 5000, "10 ** 10", "1e308 * 10 // 1 % 0", "await n"),
    ],
)
def test_nothing_else_is(text: str) -> None:
    with pytest.raises(InvalidCommand):
        evaluate(text, {"n": 4, "name": "x"})
