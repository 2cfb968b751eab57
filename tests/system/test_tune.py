"""Libraries keep the rules that tuning writes for them, and the verb goes from runs to a file."""

from __future__ import annotations

import json
import subprocess
import tomllib
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests import synthetic_mpibench as bench
from tests import synthetic_study
from tests.support import (
    MpiLibrary,
    Waywiser,
    assert_refused,
    captured,
    cases,
    environment,
    judged,
    mpi_libraries,
    mpi_library,
)
from tests.system.conftest import Build, debian_library
from waywiser.analyse.gate import MAKE_AGAIN
from waywiser.analyse.study import analyse_study
from waywiser.cli import tune
from waywiser.cli.main import main
from waywiser.cli.refusals import REFUSED
from waywiser.launch.tuning.intel import INTEL
from waywiser.launch.tuning.mpich import MPICH
from waywiser.launch.tuning.openmpi import OPENMPI, algorithms
from waywiser.launch.tuning.tuner import Algorithm, Rule
from waywiser.launch.tuning.tuners import TUNERS
from waywiser.model.findings import Findings
from waywiser.model.gate import OPEN, Gate
from waywiser.model.result import Scalar
from waywiser.model.tuning import Tuning
from waywiser.study.campaign import Campaign

OWN: dict[str, str] = {}


def open_mpi() -> MpiLibrary:
    return mpi_library("openmpi")


def messages(
    program: Path, ranks: int, size: int, directory: Path, settings: Mapping[str, str]
) -> list[str]:
    """Messages and bytes by sender and receiver in ten Allreduce of a size, as Open MPI's own
    component pml/monitoring counts them."""
    directory.mkdir(parents=True)
    counting = {
        "OMPI_MCA_pml_monitoring_enable": "2",
        "OMPI_MCA_pml_monitoring_enable_output": "3",
        "OMPI_MCA_pml_monitoring_filename": str(directory / "sent"),
    }
    subprocess.run(
        [open_mpi().bin / "mpirun", "-n", str(ranks), program, str(size)],
        env={**environment(), **counting, **settings},
        timeout=200,
        check=True,
        capture_output=True,
    )
    lines = [line for file in directory.iterdir() for line in file.read_text().splitlines()]
    return sorted(line for line in lines if line.startswith("I\t"))


def test_open_mpi_keeps_the_rules_for_their_messages_and_ranks(
    tmp_path: Path, build: Build
) -> None:
    program = build(open_mpi(), "allreduce_rounds.c")
    ring = next(
        algorithm
        for algorithm in algorithms(open_mpi().bin / "mpirun", "allreduce")
        if algorithm.name == "ring"
    )
    rules = OPENMPI.write(program, [Rule("allreduce", 3, 64, 511, ring)], tmp_path)
    forced = OPENMPI.force("allreduce", ring)

    def sent(ranks: int, size: int, settings: Mapping[str, str], name: str) -> list[str]:
        return messages(program, ranks, size, tmp_path / f"{name}-{ranks}-{size}", settings)

    for size in (64, 511):
        assert sent(3, size, rules, "rules") == sent(3, size, forced, "forced")
        assert sent(3, size, rules, "again") != sent(3, size, OWN, "own")
    for ranks, size in ((3, 63), (3, 512), (2, 64), (4, 64)):
        assert sent(ranks, size, rules, "rules") == sent(ranks, size, OWN, "own")


def mpich() -> MpiLibrary:
    return mpi_library("mpich")


@pytest.fixture(params=cases(["5"], long=["4"]))
def any_mpich(request: pytest.FixtureRequest) -> MpiLibrary:
    """MPICH of the wheel, and Debian's."""
    return mpich() if request.param == "5" else replace(debian_library("mpich"), name="mpich4")


def starts(program: Path, settings: Mapping[str, str]) -> bool:
    done = subprocess.run(
        mpich().command(1, program),
        env={**environment(), **settings},
        timeout=200,
        check=False,
        capture_output=True,
    )
    return done.returncode == 0


def test_mpich_knows_every_name_that_it_is_given(tmp_path: Path, build: Build) -> None:
    """MPICH refuses to start with a name that it does not know."""
    program = build(mpich(), "allreduce_rounds.c")
    known = {name: MPICH.algorithms(Path(), name) for name in tune.COLLECTIVES}
    for place in range(max(map(len, known.values()))):
        chosen = {
            name: candidates[place] for name, candidates in known.items() if place < len(candidates)
        }
        forced = [MPICH.force(name, algorithm) for name, algorithm in chosen.items()]
        rules = [Rule(name, 1, 0, 1, algorithm) for name, algorithm in chosen.items()]
        directory = tmp_path / str(place)
        directory.mkdir()
        assert starts(program, ChainMap(*forced)), forced
        assert starts(program, MPICH.write(program, rules, directory)), rules
    flat, shared = (
        MPICH.force("allreduce", algorithm)
        for algorithm in (known["allreduce"][0], known["allreduce"][-1])
    )
    for settings in (flat, shared):
        (name,) = (variable for variable in settings if variable.endswith("INTRA_ALGORITHM"))
        assert not starts(program, settings | {name: "no_such_algorithm"})
    for name in ("no_such_algorithm", "ring"):
        rule = Rule("allreduce", 1, 0, 1, Algorithm(name, name))
        assert starts(program, MPICH.write(program, [rule], tmp_path)) == (name == "ring")


def by_call(
    mpi: MpiLibrary, program: Path, ranks: int, sizes: Sequence[int], **settings: str
) -> dict[str, str]:
    """A program's output for each call."""
    done = mpi.run(ranks, program, *map(str, sizes), env=settings)
    return dict(line.split(": ") for line in done.stdout.splitlines())


CHOSEN = {
    "allgather": "ring",
    "allreduce": "recursive_doubling",
    "alltoall": "brucks",
    "bcast": "scatter_ring_allgather",
    "reduce": "reduce_scatter_gather",
    "reduce_scatter_block": "pairwise",
}
"""Algorithms that MPICH does not choose by itself for small messages of four ranks."""


def mpich_rules(
    program: Path, directory: Path, chosen: Mapping[str, str], first: int, last: int
) -> dict[str, str]:
    rules = [
        Rule(name, 4, first, last, Algorithm(algorithm, algorithm))
        for name, algorithm in chosen.items()
    ]
    return MPICH.write(program, rules, directory)


def test_mpich_keeps_the_rules_for_their_messages_and_ranks(
    any_mpich: MpiLibrary, tmp_path: Path, build: Build
) -> None:
    """Told by the messages that it hands to its network, to which all of them go here."""
    program = build(any_mpich, "collective_sends.c", "-rdynamic", "-ldl")
    first, last = 64, 512
    rules = mpich_rules(program, tmp_path, CHOSEN, first, last)
    forced: dict[str, str] = {}
    for name, algorithm in CHOSEN.items():
        forced |= MPICH.force(name, Algorithm(algorithm, algorithm))

    def sent(ranks: int, settings: Mapping[str, str]) -> dict[str, str]:
        sizes = (first - 4, first, last, last + 4)
        return by_call(any_mpich, program, ranks, sizes, MPIR_CVAR_NOLOCAL="1", **settings)

    own, tuned, expected = sent(4, OWN), sent(4, rules), sent(4, forced)
    inside = [f"{name} {size}" for name in CHOSEN for size in (first, last)]
    assert {call: tuned[call] for call in inside} == {call: expected[call] for call in inside}
    assert all(tuned[call] != own[call] for call in inside)
    outside = own.keys() - {*inside}
    assert {"allreduce_own_sum 64", "alltoall_in_place 64", "bcast 60", "bcast 516"} <= outside
    assert {call: tuned[call] for call in outside} == {call: own[call] for call in outside}
    assert sent(3, rules) == sent(3, OWN)


def test_mpichs_shared_memory_stays_its_own_choice_beside_rules(
    tmp_path: Path, build: Build
) -> None:
    """Told by the order in which numbers are added; of version 4 it is that of its messages."""
    program = build(mpich(), "sum_order.c", "-lm")
    first, last = 1024, 4096
    rules = mpich_rules(program, tmp_path, {"allreduce": "recursive_doubling"}, first, last)
    forced = MPICH.force("allreduce", Algorithm("", "recursive_doubling"))

    def orders(settings: Mapping[str, str]) -> dict[str, str]:
        return by_call(mpich(), program, 4, (first - 8, first, last, last + 8), **settings)

    own, tuned, expected = orders(OWN), orders(rules), orders(forced)
    flat = orders({"MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE": "0"})
    for size in ("1024", "4096"):
        assert tuned[size] == expected[size] != own[size]
    for size in ("1016", "4104"):
        assert tuned[size] == own[size] not in (expected[size], flat[size])


@pytest.mark.parametrize("library", cases(["openmpi"], long=["mpich", "impi"]))
def test_a_sweep_makes_its_runs_and_says_that_they_are_too_few(
    library: str, tmp_path: Path, waywiser: Waywiser
) -> None:
    words = ["tune", library, "--ranks", "2", "--collectives", "scatter", "--sizes", "64:128"]
    words += ["--blocks", "1", "--iterations", "20", "-o", str(tmp_path / "tuned"), "--json"]
    done = judged(waywiser(*words, timeout=300))

    answer = json.loads(done.stdout)
    assert answer["compared"] == answer["refused"] > 0
    assert answer["reason"].startswith("n too small")
    assert not answer["ranges"]
    assert not answer["file"]
    runs = list((tmp_path / "tuned/scatter.study/runs").glob("*/b001/run.json"))
    assert len(runs) == 1 + len(algorithms_of(library))
    output = waywiser(*words, timeout=200)
    assert output.stdout == done.stdout, "nothing is run twice"


def fake_findings(
    factor: bench.Factor, failures: Mapping[synthetic_study.Place, str] | None = None
) -> Callable[[Campaign], Findings]:
    """Findings of a campaign's runs, if algorithms take so many times as long."""
    known: dict[str, Findings] = {}

    def findings(campaign: Campaign) -> Findings:
        study = campaign.study
        if study.title not in known:
            synthetic_runs = bench.runs(
                study, factor, failures=failures, only=("allreduce", "gather")
            )
            known[study.title] = analyse_study(study, synthetic_runs)
        return known[study.title]

    return findings


def test_mpichs_rules_are_for_the_messages_for_which_an_algorithm_won(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`ring` takes half as long from 1 KiB to 16 KiB, and longer elsewhere."""

    def factor(values: Mapping[str, Scalar], benchmark: str, size: int) -> float:
        chosen = str(values.get("algorithm", values.get("tuning")))
        won = benchmark == "allreduce" and 1024 <= size <= 16384
        return 1.0 if chosen == "own" else 0.5 if chosen in ("ring", "tuned") and won else 1.5

    monkeypatch.setattr(tune, "_findings", fake_findings(factor))
    words = ["tune", "mpich", "--ranks", "4", "--collectives", "allreduce,barrier"]
    assert main([*words, "-o", str(tmp_path / "tuned"), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)

    (won,) = answer["ranges"]
    assert (won["algorithm"], won["first"], won["last"]) == ("ring", 1024, 65535)
    assert answer["environment"].keys() == {
        f"MPIR_CVAR_{tree}_SELECTION_TUNING_JSON_FILE" for tree in ("CH4_COLL", "COLL")
    }
    for file in answer["environment"].values():
        assert Path(file).parent == tmp_path / "tuned"
        rules = json.loads(Path(file).read_text())["collective=allreduce"]["comm_type=intra"]
        sized = rules["comm_size<=4"]["is_op_built_in=yes"]
        assert list(sized) == ["avg_msg_size<=1023", "avg_msg_size<=65535", "avg_msg_size=any"]
    assert {comparison["bytes"] for comparison in answer["proof"]} == {1024, 4096, 16384}


def test_what_wins_is_written_for_the_library_and_proved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Made-up runs, since no machine of tests is quiet: Intel MPI's algorithm 8 takes half as long
    from 1 KiB on, algorithm 9 nine tenths of the time below, and tuned it gains a quarter."""
    ring, knomial = INTEL.algorithms(Path(), "allreduce")[7:9]

    def factor(values: Mapping[str, Scalar], benchmark: str, size: int) -> float:
        chosen = str(values.get("algorithm", values.get("tuning")))
        if benchmark != "allreduce" or chosen == "own":
            return 1.0
        small = {knomial.name: 0.9, "tuned": 0.8}
        return ({ring.name: 0.5, "tuned": 0.8} if size >= 1024 else small).get(chosen, 1.5)

    fail = {("Rabenseifner", block): "it cannot run" for block in range(99)}
    monkeypatch.setattr(tune, "_findings", fake_findings(factor, fail))
    directory = tmp_path / "tuned"
    words = [
        "tune",
        "impi",
        "--ranks",
        "4",
        "--collectives",
        "allreduce,gather",
        "-o",
        str(directory),
    ]
    assert main([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)

    expected = {"I_MPI_ADJUST_ALLREDUCE": "9:0-1023;8:1024-2147483647"}
    assert answer["environment"] == expected
    assert answer["failed"] == ["MPI_Allreduce: Rabenseifner"]
    assert [(comparison["bytes"], comparison["kind"]) for comparison in answer["proof"]] == [
        (size, "faster") for size in bench.SIZES
    ]
    assert all(comparison["low"] < 0.25 < comparison["high"] for comparison in answer["proof"])
    sourced = captured(
        ["sh", "-c", '. "$0" && echo "$I_MPI_ADJUST_ALLREDUCE"', answer["file"]], check=True
    )
    assert sourced.stdout.strip() == expected["I_MPI_ADJUST_ALLREDUCE"]
    assert answer.pop("directory") == answer["folder"]  # its name until version 1.0
    (own, tuned) = tomllib.loads(Tuning.model_validate(answer).axis)["tuning"]
    assert (own, tuned) == ("own", {"name": "tuned", "environment": expected})
    assert main(words) == 0
    output = capsys.readouterr().out
    assert output.startswith("impi on 4 ranks: ")
    for verdict in (
        *answer["ranges"][0]["verdicts"],
        *(comparison["sentence"] for comparison in answer["proof"]),
    ):
        assert verdict in output


def test_unreliable_runs_are_reported_before_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    unreliable = Gate(
        unreliable=("3 of 20 runs (first: 4 ranks on 2 CPUs)",),
        remedies=("Start fewer ranks on a node", MAKE_AGAIN),
    )

    def factor(values: Mapping[str, Scalar], benchmark: str, size: int) -> float:
        return 1.0 if str(values.get("algorithm", values.get("tuning"))) == "own" else 0.5

    def findings(campaign: Campaign) -> Findings:
        return fake_findings(factor)(campaign).replace(gate=unreliable)

    monkeypatch.setattr(tune, "_findings", findings)
    words = ["tune", "impi", "--ranks", "4", "--collectives", "allreduce"]
    assert main([*words, "-o", str(tmp_path / "tuned")]) == 0
    output = capsys.readouterr().out

    first = "3 of 20 runs (first: 4 ranks on 2 CPUs)"
    assert output.startswith(
        f"Validity gate failed: MPI_Allreduce: {first}; the proof: {first}; so times"
    )
    assert "Remedy: Start fewer ranks on a node. Then make these runs again.\n" in output


@pytest.mark.parametrize(("gate", "code"), [(Gate(unreliable=("busy",)), REFUSED), (OPEN, 0)])
def test_the_gate_refuses_a_tuning_of_which_no_comparison_has_a_verdict(
    gate: Gate, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def findings(campaign: Campaign) -> Findings:
        analysis = fake_findings(lambda *_: 0.5)(campaign)
        refused = tuple(
            comparison.replace(kind="refused", reason="busy") for comparison in analysis.comparisons
        )
        return analysis.replace(gate=gate, comparisons=refused)

    monkeypatch.setattr(tune, "_findings", findings)
    words = ["tune", "impi", "--ranks", "4", "--collectives", "allreduce"]
    assert main([*words, "-o", str(tmp_path / "tuned")]) == code


def test_another_librarys_launcher_is_refused(tmp_path: Path, waywiser: Waywiser) -> None:
    launcher = str(open_mpi().bin / "mpirun")
    words = ["tune", "mpich", "--ranks", "2", "--launcher", launcher, "-o", str(tmp_path / "tuned")]
    assert_refused(waywiser(*words), f"--launcher {launcher} is that of Open MPI; give mpich's")
    assert not list(tmp_path.glob("tuned/*.study"))


def algorithms_of(library: str) -> list[Algorithm]:
    launcher = next(mpi.bin / "mpirun" for mpi in mpi_libraries() if mpi.name == library)
    return list(TUNERS[library].algorithms(launcher, "scatter"))
