"""Studies through a real Slurm of four nodes: submitted, cut short in every way, and again."""

from __future__ import annotations

import json
import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

from tests.rigs import slurm as rig
from tests.rigs.slurm_studies import LIBRARIES, STUDY, Cluster, Study
from tests.support import ROOT, assert_refused, mpi_library, wait_for
from tests.system.test_tutorial import steps
from waywiser.launch.batch import JobState


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with rig.started(4) as slurm:
        yield Cluster(slurm, slurm.directory)


@pytest.fixture
def small(cluster: Cluster, request: pytest.FixtureRequest) -> Callable[..., Study]:
    """`small(values, blocks, "key = value", …)`: a study of the shell script, not begun."""

    def new_study(values: list[int], blocks: int, *resources: str, name: str = "") -> Study:
        text = STUDY.replace("VALUES", str(values)).replace("BLOCKS", str(blocks))
        directory = name or request.node.name.replace("[", "-").rstrip("]")
        return Study(cluster, directory, text + "\n".join(resources))

    return new_study


LAUNCHERS = {
    "srun": 'launcher = "/usr/bin/srun"\nlibrary = "NAME"\nprograms = { minife = "PROGRAM" }',
    "mpirun": 'launcher = "MPIRUN"',
}


@pytest.mark.parametrize(("launcher", "jobs"), [("srun", "block"), ("mpirun", "array")])
def test_two_libraries_on_one_and_two_nodes(cluster: Cluster, launcher: str, jobs: str) -> None:
    text = LIBRARIES
    for name in ("openmpi", "mpich"):
        mpi = mpi_library(name)
        words = {"NAME": name, "PROGRAM": mpi.program("ww-minife"), "MPIRUN": mpi.bin / "mpirun"}
        output = LAUNCHERS[launcher]
        for word, value in words.items():
            output = output.replace(word, str(value))
        text = text.replace("LAUNCHER", output, 1)
    study = Study(cluster, f"minife-{launcher}", f'{text}jobs = "{jobs}"\n')

    submitted = study.submit()
    jobs_submitted = 4 if jobs == "block" else 2  # of each number of nodes: two blocks, or an array
    assert len(submitted.splitlines()) == jobs_submitted
    status = study.wait()

    assert (status["done"], status["failed"], status["missing"]) == (8, 0, 0), status
    assert {job["state"] for job in status["jobs"]} == {"ended"}
    runs = study.collected()
    libraries = Counter((run["mpi"]["library"], run["result"]["mpi"]["ranks"]) for run in runs)
    assert libraries == {("Open MPI", 2): 4, ("MPICH", 2): 4}
    assert len(list(study.directory.glob("runs/*/*/profile.ww"))) == 8
    assert "nothing to submit" in study.submit()
    report = study("report", "--json")
    assert report.returncode == 0, report.stderr
    assert len(json.loads(report.stdout)["configurations"]) == 4


def test_three_libraries_messages_between_two_nodes(cluster: Cluster) -> None:
    """The ready study, small, and what it says carried the messages."""
    text = (ROOT / "studies/mpi-libraries-between-hosts.toml").read_text(encoding="utf-8")
    for old, new in {
        'mpi = ["openmpi", "mpich", "impi"]': "",
        **{"64:1048576": "64:128", '"--pairs"': '"--iterations", "20", "--pairs"'},
        "ranks_per_node = [1, 2]": "ranks_per_node = 1",
        "blocks = 10": "blocks = 1\nwarm_up = false",
    }.items():
        assert old in text
        text = text.replace(old, new)
    own = {
        "openmpi": {"OMPI_MCA_btl": "self,sm,tcp"},
        "mpich": {"UCX_TLS": "tcp,self"},  # it would find that these nodes are one machine
        "impi": {"FI_PROVIDER": "tcp"},
    }
    for name, variables in own.items():
        text += f'[mpi.{name}]\nlauncher = "{mpi_library(name).bin / "mpirun"}"\n'
        text += "".join(f'environment.{key} = "{value}"\n' for key, value in variables.items())
    study = Study(cluster, "between", text)

    study.submit()
    status = study.wait()

    assert (status["done"], status["failed"], status["missing"]) == (3, 0, 0), status
    runs = study.collected()
    assert {run["mpi"]["library"] for run in runs} == {"Open MPI", "MPICH", "Intel MPI"}
    assert {run["result"]["reading"]["transport"] for run in runs} == {"TCP"}
    for run in runs:
        metrics = {metric["name"] for metric in run["result"]["reading"]["metrics"]}
        assert {"latency_64_b", "bandwidth_128_b", "allreduce_64_b", "scatter_128_b"} <= metrics


class TestLimits:
    def test_jobs_at_once(self, small: Callable[..., Study]) -> None:
        study = small([1, 2], 2, 'jobs = "run"', "jobs_at_once = 3")
        held = [study.hold(number) for number in range(1, 5)]

        output = study.submit()
        assert [line.split(":")[0] for line in output.splitlines()[:3]] == [
            "job0001",
            "job0002",
            "job0003",
        ]
        assert "1 run more than the queue takes" in output
        study.wait_for_run(1)
        assert "job000" not in study.submit(), "a fourth job was submitted beside three"
        for file in held:
            file.unlink()
        assert study.wait()["missing"] == 1
        assert study.submit().startswith("job0004")

        assert study.wait()["done"] == 4
        assert sorted(study.log()) == ["1", "1", "2", "2"]

    def test_tasks_of_arrays_are_jobs(self, small: Callable[..., Study]) -> None:
        study = small([1], 5, 'jobs = "array"', "jobs_at_once = 3", "array_limit = 2")

        output = study.submit()
        assert [line.split(", ")[-1] for line in output.splitlines()[:2]] == ["2 runs", "1 run"]
        assert "2 runs more than the queue takes" in output
        assert study.wait()["done"] == 3
        study.submit()

        assert study.wait()["done"] == 5
        assert len(study.log()) == 5


ENDS: dict[str, list[str]] = {
    "cancelled": ["--nodelist=n0"],
    "out of memory": ["--nodelist=n1", "--mem=300"],
    "preempted": ["--nodelist=n2", "--exclusive"],
    "node failed": ["--nodelist=n3"],
    "timeout": ["--nodelist=n0"],
}
"""State of the job -> options that bring it about without touching the others."""


@pytest.fixture(scope="module")
def cut(cluster: Cluster) -> dict[str, Study]:
    """Studies of three runs in one job, which is ended during the second: all at once, since Slurm
    takes half a minute to notice some ends."""
    studies, numbers = dict[str, Study](), dict[str, str]()
    for state, options in ENDS.items():
        text = STUDY.replace("VALUES", "[1, 2, 3]").replace("BLOCKS", "1")
        study = Study(cluster, state.replace(" ", "-"), f"{text}options = {json.dumps(options)}\n")
        if state == "out of memory":
            (study.home / "greedy" / "2").touch()
        else:
            study.hold(2)
        study.submit()
        record = json.loads((study.directory / "jobs" / "job0001.json").read_text())
        studies[state], numbers[state] = study, record["id"]
    for study in studies.values():
        study.wait_for_run(2)
    cluster.tell("scancel", numbers["cancelled"])
    cluster.tell("scontrol", "update", f"JobId={numbers['timeout']}", "EndTime=now+1")
    cluster.tell("scontrol", "update", "NodeName=n3", "State=down", "Reason=test")
    words = ("--partition=urgent", "--nodelist=n2", "--exclusive", "--output=/dev/null")
    cluster.tell("sbatch", *words, "--wrap=true")
    return studies


@pytest.mark.parametrize("state", ENDS)
def test_a_job_that_is_ended_in_the_middle(cut: dict[str, Study], state: str) -> None:
    study = cut[state]
    own_doing = state in ("timeout", "out of memory")

    status = study.wait()

    assert [job["state"] for job in status["jobs"]] == [state]
    failed = 1 if own_doing else 0
    # Where memory ran out, Slurm has ended the run and not the job.
    done, missing = (2, 0) if state == "out of memory" else (1, 2 - failed)
    assert (status["done"], status["failed"], status["missing"]) == (done, failed, missing), status
    # A script whose job is over may begin its last run before it is ended itself: that one is lost.
    assert status["lost_attempts"] - (1 - failed) in (0, int(state != "out of memory"))
    if state == "timeout":
        (failure,) = status["failures"]
        assert "it was ended by Slurm: timeout" in failure["reasons"]
    assert study.status() == status, "looking once more has changed it"

    for file in (*study.home.glob("hold/*"), *study.home.glob("greedy/*")):
        file.unlink()
    study.submit()

    status = study.wait()
    assert (status["done"], status["failed"], status["missing"]) == (3 - failed, failed, 0)
    times = Counter(study.log())
    assert sorted(times.values()) == [1, 1, 1 if own_doing else 2], "a run was doubled or not made"
    results = {
        metric["value"]
        for run in study.collected("runs/*/b001")
        for metric in run["result"]["reading"]["metrics"]
        if metric["name"] == "metric"
    }
    assert len(results) == 3 - failed

    if own_doing:
        study.submit("--failed")
        assert study.wait()["done"] == 3


class TestSubmitsThatGoWrong:
    def killed(self, study: Study, until: Callable[[], bool]) -> None:
        """Submits, and kills that with all that it has started once `until` holds."""
        process = study.start("submit")
        wait_for(until)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        study.restore_sbatch()

    def test_killed_before_the_job_is_in_the_queue(self, small: Callable[..., Study]) -> None:
        study = small([1, 2], 1)
        study.put_before_sbatch(f"touch {study.home}/asked; exec sleep 60")

        self.killed(study, (study.home / "asked").exists)

        assert study.status()["jobs"] == []
        study.submit()
        assert study.wait()["done"] == 2
        assert len(study.log()) == 2

    def test_killed_while_its_job_waits(
        self, cluster: Cluster, small: Callable[..., Study]
    ) -> None:
        study = small([1, 2], 1)
        study.put_before_sbatch(
            f'"$SBATCH" --hold "$@" >{study.home}/made && mv {study.home}/made '
            f"{study.home}/asked; exec sleep 60"
        )
        self.killed(study, (study.home / "asked").exists)

        study.submit()
        lost = (study.home / "asked").read_text().strip()
        cluster.tell("scontrol", "release", lost)
        assert study.wait()["done"] == 2
        output = study.directory / "jobs" / "job0001.out"
        wait_for(output.exists)
        wait_for(lambda: "another job has these runs" in output.read_text())

        assert len(study.log()) == 2
        assert study.status()["done"] == 2

    def test_killed_after_its_job_has_started(self, small: Callable[..., Study]) -> None:
        study = small([1, 2], 1)
        held = study.hold(2)
        study.put_before_sbatch(f'"$SBATCH" "$@" >{study.home}/asked; exec sleep 60')

        self.killed(study, lambda: len(study.log()) == 2)

        (job,) = study.status()["jobs"]
        assert job["id"] == (study.home / "asked").read_text().strip()
        assert job["state"] == "running"
        assert "nothing to submit" in study.submit()
        held.unlink()
        assert study.wait()["done"] == 2
        assert len(study.log()) == 2

    def test_an_answer_that_does_not_come_is_no_refusal(self, small: Callable[..., Study]) -> None:
        """Slurm's controller has taken the job, and sbatch says that it has not answered."""
        study = small([1, 2], 1)
        study.put_before_sbatch(
            f'"$SBATCH" "$@" >{study.home}/asked\n'
            f"while [ ! -s {study.home}/log ]; do sleep 0.1; done\n"
            "echo 'sbatch: error: Batch job submission failed: Socket timed out' >&2; exit 1"
        )

        output = study.submit()

        assert f"job {(study.home / 'asked').read_text().strip()}, 2 runs" in output
        study.restore_sbatch()
        assert study.wait()["done"] == 2
        assert len(study.log()) == 2

    def test_two_at_once(self, small: Callable[..., Study]) -> None:
        study = small([1, 2], 1)
        go = study.home / "go"
        submitted_file = study.home / "asked"
        study.put_before_sbatch(
            f'touch {submitted_file}; while [ ! -e {go} ]; do sleep 0.1; done; exec "$SBATCH" "$@"'
        )
        first = study.start("submit")
        wait_for(submitted_file.exists)

        second = study("submit")
        go.touch()
        output, _ = first.communicate(timeout=200)

        assert second.returncode == 2
        assert f"is being run by process {first.pid}" in second.stderr
        assert "job0001" in output
        assert study.wait()["done"] == 2
        assert len(study.log()) == 2

    def test_no_such_partition(self, small: Callable[..., Study]) -> None:
        study = small([1, 2], 1, 'partition = "nowhere"')

        assert_refused(study("submit"), "invalid partition specified: nowhere")
        assert study.counts() == (0, 0, 2)
        study.file.write_text(study.file.read_text().replace("nowhere", "all"))
        study.submit()
        assert study.wait()["done"] == 2


def test_the_page(cluster: Cluster) -> None:
    """docs/studies.md, with launchers instead of the site's modules."""
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    study = Study(cluster, "page", "")
    study.file = study.home / "cluster.toml"
    for name in ("openmpi", "mpich"):
        program = mpi_library(name).program("ww-minife")
        (study.home / f"ww-minife-{name}").symlink_to(program)
        text = re.sub(
            rf'^library = "{name}"\nmodules = .*',
            f'launcher = "{program.parent}/mpirun"\n'
            'environment = { OMPI_MCA_btl = "self,sm,tcp", FI_TCP_IFACE = "eth0" }',
            text,
            flags=re.MULTILINE,
        )
    study.file.write_text(text)
    commands = steps("studies.md", "shellsession")
    assert len(commands) == 6
    for number, step in enumerate(commands):
        if number == 3:
            study.wait()
        waywiser, verb, action, file = step.command.split()
        assert (waywiser, verb, file) == ("waywiser", "study", study.file.name)
        done = study(action)
        assert done.returncode == 0, done.stdout + done.stderr
        output = re.sub(r"job \d+", "job N", done.stdout).splitlines()
        for line in step.prints:
            expected = re.sub(r"job \d+", "job N", line)
            assert any(shown.startswith(expected) for shown in output), done.stdout


def test_the_page_names_every_end_of_a_job() -> None:
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    table = page.split("| the job |")[1].split("\n\n")[0]
    named = [line.split("|")[1].split(":")[0].strip() for line in table.splitlines()[2:]]
    ends = sorted(state for row in named for state in row.split(", "))
    assert ends == sorted(state.value for state in JobState if state.over)
