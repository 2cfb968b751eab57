"""Jobs under a real Slurm of four nodes: what they run, how they end, and how that is known.

Slurm has no accounting here, so that sacct knows nothing: what became of a job is known from its
marker, from the queue while that remembers it, and from what Slurm wrote into its output.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.rigs import slurm as rig
from tests.rigs.slurm import Slurm
from tests.support import MpiLibrary, environment, succeeded
from tests.system.conftest import Build
from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.batch import Job, JobState, fate
from waywiser.launch.binding import binding_environment, launch_words, pmi_of
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import KINDS
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.launch.shape import Shape
from waywiser.model.study import Resources

SCHEDULER = SCHEDULERS["slurm"]
ONE_CORE = Shape(nodes=1, ranks=1)
PATIENCE_SECONDS = 100.0  # Slurm looks every 30 s whether a time limit has passed
STEPS_OF_A_SLOW_JOB = ("srun sleep 200",)


def settings(**resources: object) -> Resources:
    return Resources.model_validate(resources)


@dataclass
class Cluster:
    """The rig, with Waywiser's view of it."""

    slurm: Slurm
    directory: Path

    def submit(self, job: Job, resources: Resources | None = None) -> str:
        job.script.write_text(SCHEDULER.script(job, resources or settings()), encoding="utf-8")
        return SCHEDULER.submit(job.script)

    def job(self, name: str, *steps: str, shape: Shape = ONE_CORE) -> Job:
        return Job(name, self.directory, shape, minutes=5, steps=steps)

    def wait(self, number: str, *accepted: JobState) -> JobState:
        """Waits until a job is in one of these states, or over; returns its state."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            state = SCHEDULER.states([number])[number]
            if state.over or state in accepted:
                return state
            assert time.monotonic() < end, f"job {number} is still {state.value}"
            time.sleep(0.3)

    def tell(self, *words: str) -> None:
        succeeded(self.slurm.run(*words))


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with rig.started(4) as slurm:
        jobs = slurm.directory / "jobs"
        jobs.mkdir()
        yield Cluster(slurm, jobs)


@pytest.fixture(autouse=True)
def commands(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment({"OMPI_MCA_btl": "self,sm,tcp"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", f"{cluster.slurm.commands()}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.every_mpi
def test_each_library_runs_through_its_pmi(cluster: Cluster, mpi: MpiLibrary, build: Build) -> None:
    """Four ranks of one program on two nodes: not four programs of one rank."""
    shape = Shape(nodes=2, ranks=4, cores_per_node=4)
    srun = Launcher(Path("srun"), next(kind for kind in KINDS if kind.name == "Slurm"), "22.05")
    words = launch_words(srun, shape, pmi=pmi_of(mpi.abi))
    settings = [f"{key}='{value}'" for key, value in binding_environment(srun, shape).items()]
    step = " ".join(["env", "FI_TCP_IFACE=eth0", *settings, *words, str(build(mpi, "where.c"))])
    job = cluster.job(f"mpi-{mpi.name}", step, shape=shape)

    number = cluster.submit(job)

    assert cluster.wait(number) is JobState.ENDED
    output = job.output().read_text().splitlines()
    hosts_of_ranks = sorted(line for line in output if line.startswith("rank "))
    assert [line.split(" on ")[0] for line in hosts_of_ranks] == [
        f"rank {rank} of 4" for rank in range(4)
    ], output
    assert {line.split(" on ")[1] for line in hosts_of_ranks} == {"n0", "n1"}


def test_a_job_that_ends_leaves_a_marker(cluster: Cluster) -> None:
    """A step that fails does not stop the next; setup comes before, and stops all."""
    job = cluster.job("ends", "false", "echo $GREETING")

    number = cluster.submit(job, settings(setup=("export GREETING=hello",)))

    assert cluster.wait(number) is JobState.ENDED
    assert job.output().read_text() == "hello\n"
    assert fate(SCHEDULER, job.marker(), job.output(), JobState.GONE) is JobState.ENDED


def test_a_job_without_its_module_fails(cluster: Cluster) -> None:
    job = cluster.job("module", "echo never")

    number = cluster.submit(job, settings(modules=("no-such-module",)))

    hint = cluster.wait(number)
    assert fate(SCHEDULER, job.marker(), job.output(), hint) is JobState.FAILED
    assert "never" not in job.output().read_text()


def test_an_array_has_a_marker_for_each_task(cluster: Cluster) -> None:
    job = replace(cluster.job("array"), tasks=(("echo first",), ("echo second", "hostname")))

    number = cluster.submit(job)

    assert cluster.wait(number) is JobState.ENDED
    states = SCHEDULER.states([number])
    for task, output in ((1, "first"), (2, "second")):
        assert states[SCHEDULER.task_id(number, task)] is JobState.ENDED
        assert job.output(task).read_text().splitlines()[0] == output
        assert fate(SCHEDULER, job.marker(task), job.output(task), JobState.GONE) is JobState.ENDED


class TestEndsThatAreDiffer:
    """Ends are told while the queue remembers the job, and afterwards."""

    def check(self, cluster: Cluster, job: Job, number: str, expected: JobState) -> None:
        hint = cluster.wait(number)
        assert fate(SCHEDULER, job.marker(), job.output(), hint) is expected
        end = time.monotonic() + PATIENCE_SECONDS
        while (state := fate(SCHEDULER, job.marker(), job.output(), JobState.GONE)) is not expected:
            assert time.monotonic() < end, state  # the queue can know before the node
            time.sleep(0.1)

    def slow(self, cluster: Cluster, name: str, *options: str) -> tuple[Job, str]:
        job = cluster.job(name, *STEPS_OF_A_SLOW_JOB)
        number = cluster.submit(job, settings(options=options))
        assert cluster.wait(number, JobState.RUNNING) is JobState.RUNNING
        return job, number

    def test_timeout(self, cluster: Cluster) -> None:
        job, number = self.slow(cluster, "timeout")

        cluster.tell("scontrol", "update", f"JobId={number}", "EndTime=now+1")

        self.check(cluster, job, number, JobState.TIMEOUT)

    def test_cancelled(self, cluster: Cluster) -> None:
        job, number = self.slow(cluster, "cancelled")

        SCHEDULER.cancel([number])

        self.check(cluster, job, number, JobState.CANCELLED)

    def test_node_failure(self, cluster: Cluster) -> None:
        job, number = self.slow(cluster, "node", "--nodelist=n3")

        cluster.tell("scontrol", "update", "NodeName=n3", "State=down", "Reason=test")

        self.check(cluster, job, number, JobState.NODE_FAIL)

    def test_preempted(self, cluster: Cluster) -> None:
        job, number = self.slow(cluster, "preempted", "--nodelist=n2", "--exclusive")

        urgent = settings(partition="urgent", options=("--nodelist=n2", "--exclusive"))
        cluster.submit(cluster.job("urgent", "true"), urgent)

        self.check(cluster, job, number, JobState.PREEMPTED)

    def test_out_of_memory(self, cluster: Cluster) -> None:
        greedy = "srun python3 -c 'import time; x = bytes([1]) * (300 << 20); time.sleep(100)'"
        job = cluster.job("memory", greedy)

        number = cluster.submit(job, settings(options=("--mem=100",)))

        self.check(cluster, job, number, JobState.OUT_OF_MEMORY)


def test_what_slurm_refuses_is_reported_in_its_words(cluster: Cluster) -> None:
    with pytest.raises(InvalidCommand, match="invalid partition specified: nowhere") as refusal:
        cluster.submit(cluster.job("refused", "true"), settings(partition="nowhere"))
    assert "sinfo" in str(refusal.value)


def test_a_job_that_slurm_has_forgotten_is_gone(cluster: Cluster) -> None:
    assert SCHEDULER.states(["4711"]) == {"4711": JobState.GONE}


def test_a_slurm_that_does_not_answer_says_nothing_of_jobs(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A silent Slurm must not make jobs look gone."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # without the rig's configuration
    with pytest.raises(ToolMissing, match="squeue does not answer"):
        SCHEDULER.states(["1"])


def test_the_limit_of_arrays_is_slurms(cluster: Cluster) -> None:
    assert SCHEDULER.limits().array == 1000  # MaxArraySize is 1001 where nobody has set it
