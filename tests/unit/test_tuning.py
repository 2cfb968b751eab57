"""Algorithms that were made faster are chosen where they are, and written as each library reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests import synthetic_mpibench as bench
from tests import synthetic_study
from waywiser.analyse.study import analyse_study
from waywiser.analyse.tuning import (
    OWN,
    of_collective,
    winner_everywhere,
    winners,
    winners_everywhere,
)
from waywiser.launch.tuning.intel import INTEL
from waywiser.launch.tuning.mpich import MPICH
from waywiser.launch.tuning.openmpi import OPENMPI
from waywiser.launch.tuning.tuner import Algorithm, Rule, joined
from waywiser.model.judged import Comparison
from waywiser.model.result import Scalar
from waywiser.stats.shift import blocks_needed
from waywiser.study.tuning import SPARE_BLOCKS, Bench, write_study

RING, TREE = Algorithm("ring", "4"), Algorithm("tree", "6")


def judged(factors: Mapping[str, bench.Factor]) -> list[tuple[int, Comparison]]:
    """Allreduce under algorithms that take so many times as long as the library's own choice."""
    study = synthetic_study.study(
        bench.LIBRARIES,
        mpi=["openmpi"],
        axes={"ranks": bench.RANKS, "algorithm": [{"name": name} for name in (OWN, *factors)]},
        report={"compare": "algorithm"},
    )

    def factor(values: Mapping[str, Scalar], benchmark: str, size: int) -> float:
        name = str(values["algorithm"])
        return 1.0 if name == OWN else factors[name](values, benchmark, size)

    analysis = analyse_study(study, bench.runs(study, factor))
    return of_collective(analysis, "allreduce")


def ring_wins_for_large(_: object, __: str, size: int) -> float:
    return 0.5 if size >= 4096 else 2.0


def test_each_size_gets_the_algorithm_that_is_faster_there() -> None:
    by_size = winners(judged({"ring": ring_wins_for_large, "tree": lambda *_: 0.8}))

    assert {size: comparison.candidate for size, comparison in by_size.items()} == {
        size: "ring" if size >= 4096 else "tree" for size in bench.SIZES
    }


def test_no_algorithm_is_chosen_by_luck() -> None:
    same = {f"same{i}": lambda *_: 1.0 for i in range(6)}

    assert winners(judged(same)) == {}
    assert winner_everywhere(judged(same)) is None


def test_what_has_no_verdict_is_not_chosen() -> None:
    refused = [
        (size, comparison.replace(kind="refused"))
        for size, comparison in judged({"tree": lambda *_: 0.8})
    ]

    assert refused
    assert winners(refused) == winners_everywhere(refused) == {}
    assert winner_everywhere(refused) is None


def test_for_all_sizes_only_what_is_slower_at_none_is_chosen() -> None:
    mixed = judged({"ring": ring_wins_for_large, "tree": lambda *_: 0.8})
    best = winner_everywhere(mixed)

    assert best is not None
    assert best.candidate == "tree"
    assert winner_everywhere(judged({"ring": ring_wins_for_large})) is None


def test_an_algorithm_holds_to_the_next_measured_size_and_not_beyond_the_last() -> None:
    sizes = [64, 128, 256, 512]

    assert joined(sizes, {}) == []
    assert joined(sizes, {64: RING, 128: RING, 512: TREE}) == [(64, 255, RING), (512, 512, TREE)]
    assert joined(sizes, {128: RING, 256: TREE}) == [(128, 255, RING), (256, 511, TREE)]
    assert joined([0], {0: RING}) == [(0, 0, RING)]


def chosen(text: str, collective: int, ranks: int, size: int) -> str:
    """The algorithm that a file of Open MPI's dynamic rules has for a call, read as its
    documentation says: rules hold from their size on, of communicators as of messages."""
    numbers = iter(int(word) for line in text.splitlines() for word in line.split("#")[0].split())
    result = "0"
    for _ in range(next(numbers)):
        own = next(numbers) == collective
        for _ in range(next(numbers)):
            counts = next(numbers) <= ranks
            at = "0"
            for _ in range(next(numbers)):
                first, algorithm = next(numbers), str(next(numbers))
                assert (next(numbers), next(numbers)) == (0, 0)
                at = algorithm if first <= size else at
            result = at if own and counts else result
    assert next(numbers, None) is None
    return result


def test_open_mpis_rules_hold_for_these_messages_and_ranks_alone(tmp_path: Path) -> None:
    rules = [
        Rule("allreduce", 4, 64, 255, RING),
        Rule("allreduce", 4, 256, 256, TREE),
        Rule("allgather", 4, 64, 127, TREE),
    ]
    environment = OPENMPI.write(Path(), rules, tmp_path)
    text = Path(environment["OMPI_MCA_coll_tuned_dynamic_rules_filename"]).read_text()

    assert environment["OMPI_MCA_coll_tuned_use_dynamic_rules"] == "1"
    calls = {size: chosen(text, 2, 4, size) for size in (0, 63, 64, 255, 256, 257, 10**6)}
    assert calls == {0: "0", 63: "0", 64: "4", 255: "4", 256: "6", 257: "0", 10**6: "0"}
    assert {chosen(text, 2, ranks, 64) for ranks in (1, 2, 3, 5, 64)} == {"0"}
    # Open MPI counts the blocks of all four ranks of an Allgather.
    assert {size: chosen(text, 0, 4, size) for size in (255, 256, 508, 509)} == {
        **{255: "0", 256: "6", 508: "6", 509: "0"}
    }


def test_other_rules_are_another_file(tmp_path: Path) -> None:
    files = {
        OPENMPI.write(Path(), [Rule("bcast", 2, 64, last, RING)], tmp_path)[
            "OMPI_MCA_coll_tuned_dynamic_rules_filename"
        ]
        for last in (127, 255, 127)
    }

    assert len(files) == 2


def test_intel_mpis_variables_have_ranges_of_sizes(tmp_path: Path) -> None:
    rules = [
        Rule("allreduce", 4, 0, 255, Algorithm("ring", "8")),
        Rule("allreduce", 4, 256, 2**31 - 1, Algorithm("knomial", "9")),
        Rule("bcast", 4, 0, 2**31 - 1, Algorithm("binomial", "1")),
    ]

    assert INTEL.write(Path(), rules, tmp_path) == {
        "I_MPI_ADJUST_ALLREDUCE": "8:0-255;9:256-2147483647",
        "I_MPI_ADJUST_BCAST": "1:0-2147483647",
    }


def test_where_every_size_needs_an_algorithm_none_may_be_left_without() -> None:
    """`tree` wins for small messages, where `ring` is slower; `ring` alone leaves these out."""
    by_size = winners_everywhere(judged({"ring": ring_wins_for_large, "tree": lambda *_: 0.9}))

    assert {size: comparison.candidate for size, comparison in by_size.items()} == {
        size: "ring" if size >= 4096 else "tree" for size in bench.SIZES
    }
    assert winners_everywhere(judged({"ring": ring_wins_for_large})) == {}


def test_mpichs_variable_puts_the_devices_own_collective_aside(tmp_path: Path) -> None:
    """A rule cannot tell the size of a Gather."""
    rule = Rule("gather", 4, 0, 2**31 - 1, Algorithm("binomial", "binomial"))

    assert "gather" in MPICH.unsized
    assert MPICH.write(Path(), [rule], tmp_path) == {
        "MPIR_CVAR_GATHER_INTRA_ALGORITHM": "binomial",
        "MPIR_CVAR_GATHER_DEVICE_COLLECTIVE": "0",
        "MPIR_CVAR_DEVICE_COLLECTIVES": "percoll",
    }
    assert not list(tmp_path.iterdir())


def test_mpichs_algorithms_of_shared_memory_are_the_devices_own() -> None:
    known = {algorithm.name: algorithm for algorithm in MPICH.algorithms(Path(), "bcast")}

    assert MPICH.force("bcast", known["release_gather"]) == {
        "MPIR_CVAR_BCAST_POSIX_INTRA_ALGORITHM": "release_gather"
    }
    assert "MPIR_CVAR_BCAST_INTRA_ALGORITHM" in MPICH.force("bcast", known["binomial"])


def test_the_study_of_a_sweep_has_a_configuration_for_each_algorithm(tmp_path: Path) -> None:
    how = Bench("openmpi", "", "", 4, 1, "64:4096", 100, 6)
    levels = {OWN: {}, 'odd "name"': {"OMPI_MCA_x": 'a "b" \\ c'}}
    campaign = write_study(tmp_path / "x.toml", "Title", how, ["bcast"], "algorithm", levels)
    study = campaign.study

    assert [len(campaign.configurations), study.repeats.blocks, study.report.compare] == [
        2,
        6,
        "algorithm",
    ]
    (application,) = study.application.values()
    assert application.arguments[:2] == ("--benchmark", "bcast")
    assert application.arguments[-2:] == ("--iterations", "100")
    odd = study.axes["algorithm"][1]
    assert getattr(odd, "environment", None) == levels['odd "name"']


@pytest.mark.parametrize(
    ("algorithms", "sizes", "comparisons"),
    [(8, "64:1048576", 120), (8, "65536:1048576", 40), (3, "2048,8192", 6), (1, "0:0", 1)],
)
def test_a_sweep_has_as_many_blocks_as_its_comparisons_need(
    algorithms: int, sizes: str, comparisons: int, tmp_path: Path
) -> None:
    how = Bench("openmpi", "", "", 4, 1, sizes, 100, 0)
    levels: dict[str, dict[str, str]] = {str(n): {} for n in range(algorithms + 1)}
    campaign = write_study(tmp_path / "x.toml", "Title", how, ["bcast"], "algorithm", levels)

    assert campaign.study.repeats.blocks == blocks_needed(comparisons) + SPARE_BLOCKS
