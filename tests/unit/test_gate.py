"""The gate: runs whose ranks lacked CPUs, and predictions whose replay is unlike the run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import synthetic
from tests.support import document, printed
from tests.synthetic_jobs import rounds
from tests.synthetic_runs import rank, summary
from waywiser.analyse.gate import gate_of, with_replay
from waywiser.analyse.whatif.options import Options, request_of
from waywiser.errors import InvalidCommand
from waywiser.model.gate import Gate
from waywiser.model.run import Conditions, Run
from waywiser.model.summary import Summary
from waywiser.model.trace import Trace
from waywiser.report.gate import gate_sentences
from waywiser.report.run.page import page
from waywiser.report.run.terminal import summary_text
from waywiser.store.directory import RunDirectory
from waywiser.units import seconds_with_error_text


def run(*, library: str = "Open MPI", command: str = "mpirun", busy_s: float = 10.0) -> Run:
    """10 s on a node of 16 CPUs; its processes used 10 s of CPU time."""
    synthetic_run = synthetic.run(1)
    conditions = Conditions(
        wall_seconds=10.0, cpu_seconds=10.0, busy_seconds=busy_s, stolen_seconds=0.0,
        involuntary_switches=0, load_average=0.0,
    )  # fmt: skip
    return synthetic_run.replace(
        command=(command, "-n", "1", "app"),
        conditions=conditions,
        environment={},
        mpi=synthetic_run.mpi.replace(library=library),
        machine=synthetic_run.machine.replace(host="n0", hardware_threads=16),
    )


def of_ranks(*ranks: tuple[str, str, float | None]) -> Summary:
    """Each with its host, its CPUs and the time that it was without one, of 10 s."""
    return summary(
        [
            rank(number, {}, host).replace(cpus=cpus, queued_seconds=queued)
            for number, (host, cpus, queued) in enumerate(ranks)
        ]
    )


QUIET = of_ranks(("n0", "0", 0.1), ("n0", "1", 0.2))


def test_a_quiet_run_passes() -> None:
    assert gate_of(run(), QUIET) == Gate()
    assert gate_sentences(gate_of(run(), QUIET)) == ()


def test_ranks_that_others_kept_from_their_cpus() -> None:
    """52 % of the time on average, as the kernel counts it."""
    gate = gate_of(run(), of_ranks(("n0", "0-15", 5.0), ("n0", "0-15", 5.4)))

    assert gate.unreliable == (
        "the ranks were ready to run but had no CPU for 52 % of the time (limit: 10 %)",
    )
    assert gate.remedies == (
        "Bind each rank to a core of its own: `mpirun --bind-to core`",
        "Use an otherwise idle node",
        "Then record the run again",
    )


def test_ranks_that_are_bound_already_need_no_binding() -> None:
    gate = gate_of(run(), of_ranks(("n0", "0", 5.0), ("n0", "1", 5.4)))

    assert gate.remedies[0] == "Use an otherwise idle node"


def test_one_rank_without_a_cpu_is_enough() -> None:
    """All others wait for it."""
    others = [("n0", str(cpu), 0.0) for cpu in range(1, 16)]
    gate = gate_of(run(), of_ranks(("n0", "0", 4.0), *others))

    (reason,) = gate.unreliable
    assert reason.startswith("a rank was ready to run but had no CPU for 40 % of the time")


def test_ranks_that_sleep_are_not_unreliable() -> None:
    """Sleeping ranks wait for a file, say: off the CPU, and in no queue for a CPU."""
    sleeping = QUIET.per_rank or ()
    half = QUIET.replace(per_rank=tuple(profile.replace(cpu_seconds=5.0) for profile in sleeping))

    assert gate_of(run(), half).holds


def test_one_bad_host_of_several_is_named() -> None:
    gate = gate_of(
        run(), of_ranks(("n0", "0", 0.0), ("n1", "0", 0.0), ("n2", "0", 5.0), ("n3", "0", 5.0))
    )

    (reason,) = gate.unreliable
    assert reason.endswith("50 % of the time (limit: 10 %) on n2 and 1 other host")


@pytest.mark.parametrize(
    ("library", "command", "word"),
    [
        ("Open MPI", "/opt/bin/mpirun", "`mpirun --bind-to core`"),
        ("MPICH", "mpiexec", "`mpiexec -bind-to core`"),
        ("Intel MPI", "mpirun", "I_MPI_PIN_DOMAIN core`"),
        ("MPICH", "/usr/bin/srun", "`srun --cpu-bind=cores`"),
        ("unknown", "mpirun", "Bind each rank to a core of its own"),
    ],
)
def test_the_remedy_is_in_the_words_of_the_launcher(library: str, command: str, word: str) -> None:
    gate = gate_of(
        run(library=library, command=command), of_ranks(("n0", "0", 0.0), ("n0", "0", 0.0))
    )

    assert gate.unreliable == ("2 threads are bound to 1 CPU (0)",)
    assert word in gate.remedies[0]


def test_more_ranks_than_cpus_are_to_become_fewer() -> None:
    gate = gate_of(run(), of_ranks(*(("n0", "0-15", 5.0) for _ in range(32))))

    assert gate.unreliable[0] == "32 ranks shared 16 CPUs"
    assert (
        gate.remedies[0] == "Start fewer ranks on a node (this one has 16 CPUs), or use more nodes"
    )
    assert not any("Bind" in remedy for remedy in gate.remedies)


@pytest.mark.parametrize(
    ("ranks", "nodes_of_job", "remedies"),
    [
        ({"n0": 32}, "2", ["Place ranks on all 2 nodes of the job: they were on 1"]),
        (
            {"n0": 20, "n1": 2},
            "",
            ["Distribute the ranks evenly over the nodes: n0 had 20 ranks, n1 2"],
        ),
        (
            {"n0": 40, "n1": 2},
            "2",
            [
                "Distribute the ranks evenly over the nodes: n0 had 40 ranks, n1 2",
                "Start fewer ranks on a node (this one has 16 CPUs), or use more nodes",
            ],
        ),
        (
            {"n0": 20, "n1": 20},
            "2",
            ["Start fewer ranks on a node (this one has 16 CPUs), or use more nodes"],
        ),
        (
            {"n0": 2, "n1": 20},
            "",
            ["Distribute the ranks evenly over the nodes: n1 had 20 ranks, n0 2"],
        ),
    ],
)
def test_idle_nodes_and_cpus_of_the_job_come_before_fewer_ranks(
    ranks: dict[str, int], nodes_of_job: str, remedies: list[str]
) -> None:
    job = run().replace(environment={"SLURM_JOB_NUM_NODES": nodes_of_job})
    gate = gate_of(
        job, of_ranks(*((host, "0-15", 5.0) for host in ranks for _ in range(ranks[host])))
    )

    assert [remedy for remedy in gate.remedies if "idle" not in remedy] == [
        *remedies,
        "Then record the run again",
    ]
    assert not any("Bind" in remedy for remedy in gate.remedies)


def test_other_programs_on_the_node() -> None:
    gate = gate_of(run(busy_s=90.0), QUIET)

    assert "other programs used 8.0 of the 16 CPUs" in gate.unreliable[0]
    assert gate.remedies[0] == "Use an otherwise idle node"


def test_srun_has_nodes_to_itself() -> None:
    gate = gate_of(run(command="srun"), of_ranks(("n0", "0", 5.0), ("n0", "1", 5.4)))

    assert gate.remedies[0] == "Use an otherwise idle node (`srun --exclusive`)"


def test_a_hypervisor_that_takes_time() -> None:
    quiet = run()
    assert quiet.conditions is not None
    stolen = quiet.conditions.replace(stolen_seconds=8.0)

    gate = gate_of(quiet.replace(conditions=stolen), QUIET)

    assert gate.unreliable == ("the hypervisor took 5.0 % of the CPU time",)
    assert gate.remedies[0].startswith("Use another node: the host of this virtual machine")


def test_the_replay_may_differ_by_15_percent() -> None:
    assert with_replay(Gate(), None, 1.0, 1.15).holds
    assert with_replay(Gate(), None, 1.0, 0.86).holds
    off = with_replay(Gate(), None, 2.1, 1.2)
    assert not off.predicts
    assert "waywiser machine calibrate" in off.remedies[0]
    assert "with `waywiser show`" in off.remedies[1]
    busy = Gate(unreliable=("busy",), remedies=("Use another node",))
    assert with_replay(busy, None, 2.1, 1.2).remedies == busy.remedies
    assert off.unlike == (
        "the replay of the unchanged run takes 1.20 s, 43 % less than the recorded 2.10 s "
        "(limit: 15 %)"
    )


def test_nothing_is_predicted_from_a_trace_that_lost_calls() -> None:
    """However well the replay of the rest meets the recorded time."""
    sentence = "no space left on device: 900 calls were not written; give more room"
    trace = Trace(calls=100, bytes=1, dropped_calls=900, lost_calls=900, lost=(sentence,))

    gate = with_replay(Gate(), trace, 1.0, 1.0)

    assert not gate.predicts
    assert gate.unlike == "the trace lacks 90 % of the run's 1,000 calls"
    assert gate.remedies == (sentence,)
    dropped = trace.replace(lost_calls=0)  # outside of the window asked for
    assert with_replay(Gate(), dropped, 1.0, 1.0).holds


def test_a_unreliable_run_comes_first_on_the_terminal_and_on_the_page() -> None:
    busy = gate_of(run(), of_ranks(("n0", "0-15", 5.0), ("n0", "0-15", 5.4)))
    shown = synthetic.summary(2).replace(gate=busy)

    text = " ".join(summary_text(shown).split())

    first = (
        "! Validity gate failed: the ranks were ready to run but had no CPU for 52 % of the time"
    )
    assert first in text
    assert "; so times may include waiting for a CPU." in text
    assert text.index(first) < text.index("% of")
    assert "Remedy: Bind each rank to a core of its own: `mpirun --bind-to core`." in text
    html = page(run(), shown)
    assert html.index("Validity gate failed:") < html.index('class="finding"')
    assert "gate failed" not in page(run(), synthetic.summary(2))
    assert "gate failed" not in summary_text(synthetic.summary(2))


@pytest.fixture
def unreliable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A traced run of four ranks on two nodes, started beside a busy program."""
    monkeypatch.chdir(tmp_path)
    rounds(["n0", "n0", "n1", "n1"], (2.0, 2.0, 6.0, 2.0)).run(tmp_path / "run")
    files = RunDirectory(tmp_path / "run")
    files.write_run(run(busy_s=90.0))
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("show", "run"),
        ("advise", "run", "--from", "rig-3"),
        ("whatif", "run", "--from", "rig-3", "--latency", "x0.5"),
        ("whatif", "run", "--from", "rig-3", "--sweep", "cpu=1,2"),
        ("place", "run", "--on", "rig-3", "--objective", "hop-bytes"),
    ],
)
def test_every_verb_says_it_first(unreliable: Path, words: tuple[str, ...]) -> None:
    text = printed(*words)
    first = text.lstrip("! ") if words[0] != "show" else text.split("! ", 1)[1]
    assert first.startswith("Validity gate failed: other programs used 8.0 of the 16 CPUs")
    assert "worth it" not in text
    assert "to be expected" not in text


@pytest.mark.parametrize("option", [{"on": ["rig-33"]}, {"topology": "rig-33"}])
def test_a_machine_that_is_not_found_is_named_before_the_gate_judges(
    unreliable: Path, option: dict[str, Any]
) -> None:
    options = Options(latency="x0.5", **option)

    with pytest.raises(InvalidCommand, match=r"machine rig-33 \(did you mean rig-3\?\)"):
        request_of([unreliable / "run"], options)


def test_documents_have_the_gate(unreliable: Path) -> None:
    for words in (("show",), ("advise", "--from", "rig-3"), ("whatif", "--cpu", "2")):
        answer = document(words[0], "run", *words[1:])
        assert "other programs used" in answer["gate"]["unreliable"][0]


@pytest.mark.parametrize(
    ("seconds", "error", "text"),
    [
        (1.19, 0.0521, "1.19 ± 0.05 s"),
        (1.19, 0.0121, "1.190 ± 0.012 s"),
        (0.957, 0.4, "1.0 ± 0.4 s"),
        (-0.003, 0.0004, "-3.0 ± 0.4 ms"),
        (0.000123456, 0.0, "123 µs"),
        (0.0, 0.0, "0 s"),
        (0.0, 0.002, "0 ± 2 ms"),
        (37.0, 12.0, "37 ± 12 s"),
        (3.7261, 0.0004, "3.73 s"),
        (130.0, 20.0, "2 min 10 s ± 20 s"),
    ],
)
def test_no_more_digits_than_the_error_has(seconds: float, error: float, text: str) -> None:
    assert seconds_with_error_text(seconds, error) == text


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        ([("n1", "0-1")] * 4, "4 threads are bound to 2 CPUs (0, 1)"),
        ([("n1", "0"), ("n1", "1"), ("n1", "0-1")], "3 threads are bound to 2 CPUs (0, 1)"),
        ([("n1", "0"), ("n1", "0"), ("n1", "4-7")], "2 threads are bound to 1 CPU (0)"),
        (
            [("n1", "0-1"), ("n1", "1-2"), ("n1", "0,2"), ("n1", "2")],
            "4 threads are bound to 3 CPUs (0, 1, 2)",
        ),
        (
            [("n1", "0")] * 2 + [("n2", "0")] * 3,
            "2 threads are bound to 1 CPU (0) on n1 and 1 other host",
        ),
        ([("n1", "0"), ("n2", "0")], None),
        ([("n1", "0-1")] * 2, None),
        ([("n1", "0-1"), ("n1", "2"), ("n1", "3")], None),
        ([("n1", "")] * 4, None),
    ],
)
def test_ranks_on_too_few_cpus(places: list[tuple[str, str]], reason: str | None) -> None:
    """The reason is found on any host, and if the host was not watched, too."""
    bound = of_ranks(*((host, cpus, 0.0) for host, cpus in places))
    unwatched = run().replace(conditions=None)

    for created in (run(), unwatched):
        assert gate_of(created, bound).unreliable == ((reason,) if reason else ())


def test_a_run_that_nobody_watched_to_its_end_is_judged_by_its_ranks() -> None:
    """The run is one of `ww-exec --run`, or of a killed `waywiser profile`: the profile tells."""
    unwatched = run().replace(conditions=None)

    gate = gate_of(unwatched, of_ranks(("n0", "0", 5.0), ("n0", "1", 5.4)))

    assert "had no CPU for 52 % of the time" in gate.unreliable[0]
