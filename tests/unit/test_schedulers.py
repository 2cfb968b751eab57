"""Batch systems: their scripts, and dialogues with the commands of those that cannot run here.

What the commands of PBS and Flux answer here: qstat's JSON as src/cmds/qstat.c of OpenPBS 23.06
writes it, with the states and exit values of its src/include/job.h and the words of
src/resmom/mom_main.c; that of `flux jobs --json` as flux-jobs(1) of flux-core 0.88 and its
t/t2800-jobs-cmd.t have it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import executable, wait_for
from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.batch import Job, JobState, Scheduler, fate, read_marker
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.launch.shape import Shape
from waywiser.model.study import Resources

SHAPE = Shape(nodes=2, ranks=8, threads=3, free_cores=1)


def settings(**resources: object) -> Resources:
    return Resources.model_validate(resources)


def a_job(directory: Path, *steps: str, tasks: tuple[tuple[str, ...], ...] = ()) -> Job:
    return Job("job", directory, SHAPE, minutes=90.5, steps=steps, tasks=tasks)


def write(scheduler: Scheduler, job: Job, resources: Resources | None = None) -> Path:
    job.script.write_text(scheduler.script(job, resources or settings()), encoding="utf-8")
    return job.script


@pytest.fixture(params=SCHEDULERS)
def scheduler(request: pytest.FixtureRequest) -> Scheduler:
    return SCHEDULERS[request.param]


class TestScripts:
    def test_a_step_that_fails_does_not_stop_the_next(
        self, scheduler: Scheduler, tmp_path: Path
    ) -> None:
        job = a_job(tmp_path, "false", "echo went on")

        done = subprocess.run(["bash", write(scheduler, job)], capture_output=True, check=False)

        assert done.stdout == b"went on\n"
        assert fate(scheduler, job.marker(), job.output(), JobState.GONE) is JobState.ENDED

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_a_script_that_is_ended_says_by_what(
        self, scheduler: Scheduler, tmp_path: Path, number: signal.Signals
    ) -> None:
        # What the shell has started is told to end as well, but not while it is being started.
        job = a_job(tmp_path, "sh -c 'touch begun; exec sleep 600'", "touch never")

        process = subprocess.Popen(["bash", write(scheduler, job)], start_new_session=True)
        wait_for((tmp_path / "begun").exists)
        os.killpg(process.pid, number)
        process.wait(timeout=200)

        ended = read_marker(job.marker())
        assert ended is not None
        assert (ended.code, ended.signal) == (128 + number, number.name.removeprefix("SIG"))
        assert abs(ended.time_s - time.time()) < 60
        assert fate(scheduler, job.marker(), job.output(), JobState.GONE) is JobState.CANCELLED
        assert not (tmp_path / "never").exists()

    def test_a_step_that_is_ended_before_its_script_counts_as_that(
        self, scheduler: Scheduler, tmp_path: Path
    ) -> None:
        job = a_job(tmp_path, "sh -c 'touch begun; kill -TERM $$'")

        process = subprocess.Popen(["bash", write(scheduler, job)], start_new_session=True)
        wait_for((tmp_path / "begun").exists)
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=200)

        assert fate(scheduler, job.marker(), job.output(), JobState.GONE) is JobState.CANCELLED

    def test_a_script_that_is_killed_leaves_no_marker(
        self, scheduler: Scheduler, tmp_path: Path
    ) -> None:
        job = a_job(tmp_path, "kill -KILL $$")

        subprocess.run(["bash", write(scheduler, job)], check=False)

        assert fate(scheduler, job.marker(), job.output(), JobState.GONE) is JobState.GONE
        assert fate(scheduler, job.marker(), job.output(), JobState.RUNNING) is JobState.RUNNING

    @pytest.mark.parametrize("how", [JobState.TIMEOUT, JobState.NODE_FAIL, JobState.PREEMPTED])
    def test_the_queue_tells_why(self, scheduler: Scheduler, tmp_path: Path, how: JobState) -> None:
        """The queue's reason also holds for a script that finished after its node was lost."""
        job = a_job(tmp_path, "true")
        assert fate(scheduler, job.marker(), job.output(), how) is how

        subprocess.run(["bash", write(scheduler, job)], check=False)

        assert fate(scheduler, job.marker(), job.output(), how) is how

    def test_a_marker_of_an_earlier_try_does_not_count(
        self, scheduler: Scheduler, tmp_path: Path
    ) -> None:
        job = a_job(tmp_path, "kill -KILL $$")
        job.marker().write_text("code=0 signal= time=1\n")

        subprocess.run(["bash", write(scheduler, job)], check=False)

        assert read_marker(job.marker()) is None

    def test_modules_are_loaded_by_a_login_shell(
        self, scheduler: Scheduler, tmp_path: Path
    ) -> None:
        for job, resources in (
            (a_job(tmp_path, "true"), settings(modules=["openmpi"])),
            (a_job(tmp_path, "(\nmodule load openmpi || exit\n)"), settings()),
        ):
            assert scheduler.script(job, resources).startswith("#!/bin/bash -l\n")
        assert scheduler.script(a_job(tmp_path, "true"), settings()).startswith("#!/bin/bash\n")

    def test_names_of_the_study_are_no_shell(self, scheduler: Scheduler, tmp_path: Path) -> None:
        directory = tmp_path / "a b; touch hit"
        directory.mkdir()
        job = a_job(directory, "true")
        odd = settings(partition="x; touch hit", account="$(touch hit)", modules=["a; touch hit"])

        subprocess.run(["bash", write(scheduler, job, odd)], capture_output=True, check=False)

        assert not [*tmp_path.rglob("hit")]

    @pytest.mark.parametrize("name", ["slurm", "pbs", "flux"])
    def test_a_directory_cannot_begin_a_line(self, name: str, tmp_path: Path) -> None:
        with pytest.raises(InvalidCommand, match="line break"):
            SCHEDULERS[name].script(a_job(tmp_path / "a\ntouch hit", "true"), settings())


class TestThisMachine:
    local = SCHEDULERS["local"]

    def test_a_job_runs_beside_its_caller(self, tmp_path: Path) -> None:
        job = a_job(tmp_path, "touch begun", "while [ ! -e go ]; do sleep 0.05; done", "echo done")
        number = self.local.submit(write(self.local, job))

        wait_for((tmp_path / "begun").exists)
        assert self.local.states([number]) == {number: JobState.RUNNING}
        (tmp_path / "go").touch()
        wait_for(lambda: self.local.states([number])[number] is JobState.GONE)

        assert job.output().read_text() == "done\n"
        assert fate(self.local, job.marker(), job.output(), JobState.GONE) is JobState.ENDED

    def test_a_job_is_cancelled_with_all_it_has_started(self, tmp_path: Path) -> None:
        job = a_job(tmp_path, "sh -c 'touch begun; sleep 60'")
        number = self.local.submit(write(self.local, job))
        wait_for((tmp_path / "begun").exists)

        self.local.cancel([number])

        wait_for(job.marker().exists)
        assert fate(self.local, job.marker(), job.output(), JobState.GONE) is JobState.CANCELLED

    def test_another_process_of_the_same_number_is_not_the_job(self) -> None:
        stale_job = f"{os.getpid()}.1"
        self.local.cancel([stale_job])  # would end this test
        assert self.local.states([stale_job]) == {stale_job: JobState.GONE}

    def test_tasks_come_one_after_another(self, tmp_path: Path) -> None:
        job = a_job(tmp_path, tasks=(("echo one",), ("echo two",)))
        self.local.submit(write(self.local, job))

        wait_for(job.marker(2).exists)

        assert [job.output(task).read_text() for task in (1, 2)] == ["one\n", "two\n"]


Dialogue = dict[str, tuple[str, str, int]]
"""Output of each command on stdout and on stderr, and its exit code."""


@pytest.fixture
def fake_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Dialogue], Path]:
    """Puts commands that answer as recorded before all others; what they are asked is kept."""
    directory = tmp_path / "commands"
    directory.mkdir()
    monkeypatch.setenv("PATH", str(directory), prepend=os.pathsep)

    def faked(dialogue: Dialogue) -> Path:
        for name, (out, err, code) in dialogue.items():
            (directory / f"{name}.out").write_text(out)
            (directory / f"{name}.err").write_text(err)
            executable(
                directory / name,
                f'#!/bin/sh\ncd {directory}\necho "$*" >{name}.asked\n'
                f"cat {name}.out; cat {name}.err >&2; exit {code}\n",
            )
        return directory

    return faked


def qstat(**jobs: dict[str, object]) -> str:
    entries = {f"{number[1:]}.pbs": job for number, job in jobs.items()}
    head = {"timestamp": 1764000000, "pbs_version": "23.06.06", "pbs_server": "pbs"}
    return json.dumps(head | ({"Jobs": entries} if entries else {}), indent=4)


class TestPbs:
    pbs = SCHEDULERS["pbs"]

    def test_a_job_is_submitted(
        self, tmp_path: Path, fake_commands: Callable[[Dialogue], Path]
    ) -> None:
        directory = fake_commands({"qsub": ("1234.pbs\n", "", 0)})
        script = write(self.pbs, a_job(tmp_path, "true"))

        assert self.pbs.submit(script) == "1234.pbs"
        assert (directory / "qsub.asked").read_text().split() == [str(script)]

    def test_a_refusal_is_reported(
        self, tmp_path: Path, fake_commands: Callable[[Dialogue], Path]
    ) -> None:
        fake_commands({"qsub": ("", "qsub: Unknown queue\n", 188)})

        with pytest.raises(InvalidCommand, match=r"PBS refused .*job.sh: Unknown queue"):
            self.pbs.submit(write(self.pbs, a_job(tmp_path, "true")))

    @pytest.mark.parametrize(
        ("job", "state"),
        [
            ({"job_state": "Q", "substate": 10}, JobState.WAITING),
            ({"job_state": "H", "substate": 20}, JobState.WAITING),
            ({"job_state": "R", "substate": 42}, JobState.RUNNING),
            ({"job_state": "E", "substate": 50}, JobState.RUNNING),
            ({"job_state": "F", "substate": 92, "Exit_status": 0}, JobState.ENDED),
            ({"job_state": "F", "substate": 92, "Exit_status": 1}, JobState.FAILED),
            ({"job_state": "F", "substate": 93, "Exit_status": -29}, JobState.TIMEOUT),
            ({"job_state": "F", "substate": 93, "Exit_status": -27}, JobState.OUT_OF_MEMORY),
            ({"job_state": "F", "substate": 93, "Exit_status": -20}, JobState.NODE_FAIL),
            ({"job_state": "F", "substate": 91, "Exit_status": 271}, JobState.CANCELLED),
            ({"job_state": "F", "substate": 91}, JobState.CANCELLED),
        ],
    )
    def test_states(
        self, fake_commands: Callable[[Dialogue], Path], job: dict[str, object], state: JobState
    ) -> None:
        fake_commands({"qstat": (qstat(_12=job), "", 0)})

        assert self.pbs.states(["12.pbs"]) == {"12.pbs": state}

    def test_all_jobs_are_requested_at_once(
        self, fake_commands: Callable[[Dialogue], Path]
    ) -> None:
        known = qstat(_12={"job_state": "R"})
        directory = fake_commands({"qstat": (known, "qstat: Unknown Job Id 11.pbs\n", 153)})

        states = self.pbs.states(["11.pbs", "12.pbs"])

        assert states == {"11.pbs": JobState.GONE, "12.pbs": JobState.RUNNING}
        requested = (directory / "qstat.asked").read_text().split()
        assert requested == ["-x", "-t", "-f", "-F", "json", "11.pbs", "12.pbs"]

    def test_tasks_of_an_array(self, fake_commands: Callable[[Dialogue], Path]) -> None:
        array = {"7[]": "B", "7[1]": "X", "7[2]": "R"}
        jobs = {
            f"_{name}": {"job_state": letter, "Exit_status": 0} for name, letter in array.items()
        }
        fake_commands({"qstat": (qstat(**jobs), "", 0)})

        states = self.pbs.states(["7[].pbs"])

        assert states["7[].pbs"] is JobState.RUNNING
        assert states[self.pbs.task_id("7[].pbs", 1)] is JobState.ENDED
        assert states[self.pbs.task_id("7[].pbs", 2)] is JobState.RUNNING

    def test_a_server_that_does_not_answer_says_nothing(
        self, fake_commands: Callable[[Dialogue], Path]
    ) -> None:
        fake_commands(
            {"qstat": ("", "Connection refused\nqstat: cannot connect to server pbs\n", 255)}
        )

        with pytest.raises(ToolMissing, match="cannot connect to server pbs"):
            self.pbs.states(["12.pbs"])

    def test_cancelling(self, fake_commands: Callable[[Dialogue], Path]) -> None:
        directory = fake_commands({"qdel": ("", "qdel: Job has finished 11.pbs\n", 35)})

        self.pbs.cancel(["11.pbs", "12.pbs"])

        assert (directory / "qdel.asked").read_text().split() == ["11.pbs", "12.pbs"]

    @pytest.mark.parametrize(
        ("output", "state"),
        [
            ("=>> PBS: job killed: walltime 65 exceeded limit 60", JobState.TIMEOUT),
            ("=>> PBS: job killed: mem 9000kb exceeded limit 8000kb", JobState.OUT_OF_MEMORY),
            ("=>> PBS: job killed: node EOF 1 (node7)", JobState.NODE_FAIL),
        ],
    )
    def test_why_is_known_from_the_output(
        self, tmp_path: Path, output: str, state: JobState
    ) -> None:
        """PBS forgets a job by default after two weeks, or at once; then the output tells."""
        job = a_job(tmp_path, "true")
        job.output().write_text(f"some lines\n{output}\n")

        assert fate(self.pbs, job.marker(), job.output(), JobState.GONE) is state

    def test_a_constraint_is_a_resource(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidCommand, match="as cpu_type=milan; got milan"):
            self.pbs.script(a_job(tmp_path, "true"), settings(constraint="milan"))

    def test_an_array_of_one_is_none(self, tmp_path: Path) -> None:
        """PBS refuses it; its files have the names of a task's all the same."""
        text = self.pbs.script(a_job(tmp_path, tasks=(("true",),)), settings())

        assert "-J" not in text
        assert f"-o {tmp_path}/job.1.out" in text


class TestFlux:
    flux = SCHEDULERS["flux"]

    def test_a_job_is_submitted(
        self, tmp_path: Path, fake_commands: Callable[[Dialogue], Path]
    ) -> None:
        directory = fake_commands({"flux": ("ƒM7Zq9AKHno\n", "", 0)})
        script = write(self.flux, a_job(tmp_path, "true"))

        assert self.flux.submit(script) == "ƒM7Zq9AKHno"
        assert (directory / "flux.asked").read_text().split() == ["batch", str(script)]

    def test_a_refusal_is_reported(
        self, tmp_path: Path, fake_commands: Callable[[Dialogue], Path]
    ) -> None:
        output = "flux-batch: ERROR: [Errno 22] Invalid queue 'nowhere' specified\n"
        fake_commands({"flux": ("", output, 1)})

        with pytest.raises(InvalidCommand, match="Invalid queue 'nowhere' specified"):
            self.flux.submit(write(self.flux, a_job(tmp_path, "true")))

    @pytest.mark.parametrize(
        ("job", "state"),
        [
            ({"state": "SCHED"}, JobState.WAITING),
            ({"state": "DEPEND"}, JobState.WAITING),
            ({"state": "RUN"}, JobState.RUNNING),
            ({"state": "INACTIVE", "result": "COMPLETED"}, JobState.ENDED),
            ({"state": "INACTIVE", "result": "TIMEOUT"}, JobState.TIMEOUT),
            ({"state": "INACTIVE", "result": "CANCELED"}, JobState.CANCELLED),
            (
                {"state": "INACTIVE", "result": "FAILED", "exception": {"occurred": False}},
                JobState.FAILED,
            ),
            (
                {"state": "INACTIVE", "result": "FAILED", "exception": {"type": "node-failure"}},
                JobState.NODE_FAIL,
            ),
        ],
    )
    def test_states(
        self, fake_commands: Callable[[Dialogue], Path], job: dict[str, object], state: JobState
    ) -> None:
        listing = {"jobs": [{"id": 24, "jobid": "ƒA", **job}]}
        directory = fake_commands({"flux": (json.dumps(listing), "", 0)})

        assert self.flux.states(["ƒA", "ƒB"]) == {"ƒA": state, "ƒB": JobState.GONE}
        assert (directory / "flux.asked").read_text().split() == [
            "jobs",
            "-a",
            "--count=0",
            "--json",
        ]

    def test_an_instance_that_does_not_answer_says_nothing(
        self, fake_commands: Callable[[Dialogue], Path]
    ) -> None:
        fake_commands({"flux": ("", "flux-jobs: ERROR: Unable to connect to Flux\n", 1)})

        with pytest.raises(ToolMissing, match="Unable to connect to Flux"):
            self.flux.states(["ƒA"])

    def test_there_are_no_arrays(self, tmp_path: Path) -> None:
        assert self.flux.limits().array == 1
        with pytest.raises(InvalidCommand, match=r'write resources\.jobs = "block"'):
            self.flux.script(a_job(tmp_path, tasks=(("true",), ("true",))), settings())
