"""`study submit` and `status` over batch systems whose jobs' scripts are run by the test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.batch_systems import COMMANDS, SYSTEMS
from tests.small_study import entries
from tests.support import cases, executable, wait_for
from waywiser.cli.main import main

PROGRAM = """\
#!/bin/sh
cd "$2"
echo $1 >>log
while [ -e hold-$1 ]; do sleep 0.05; done
[ ! -e says-$1 ] || cat says-$1 >&2
echo "metric: $1"
"""

STUDY = """\
title = "a small study"
mpi = ["mpich"]
profile = "never"

[application.small]
program = "./small.sh"
arguments = ["{value}", "{study}"]
METRIC

[axes]
value = [1, 2, 3]

[repeats]
blocks = 1
warm_up = false

[resources]
cores_per_node = 4
"""
METRIC = """metrics.metric = { pattern = 'metric: (.*)', unit = "s", better = "lower" }"""
OWN_DOING = ("timeout", "out of memory")
ENDS = [
    (name, state)
    for name, system in SYSTEMS.items()
    for state in [*system.states, "gone"]
    if state not in ("waiting", "running")
]


class Study:
    def __init__(
        self, directory: Path, name: str, capsys: pytest.CaptureFixture[str], *resources: str
    ) -> None:
        self.directory = directory
        self.system = SYSTEMS[name]
        self.capsys = capsys
        self.file = directory / "study.toml"
        lines = [f'scheduler = "{name}"', *resources]
        self.file.write_text(STUDY.replace("METRIC", METRIC) + "\n".join(lines))
        executable(directory / "small.sh", PROGRAM)
        self.queue = directory / "commands"
        self.queue.mkdir()
        (self.queue / "number").write_text("6\n")
        self.say("")
        for command in self.system.commands:
            text = COMMANDS.replace("DIRECTORY", str(self.queue)).replace("ID", self.system.id)
            executable(self.queue / command, text)

    def say(self, listing: str) -> None:
        """Sets the queue's answer from now on."""
        (self.queue / "queue").write_text(listing)

    def says(self, number: int, state: str) -> None:
        self.say(self.system.listing(number, state))

    def __call__(self, *words: str) -> tuple[int, str, str]:
        code = main(["study", *words, str(self.file)])
        return code, *self.capsys.readouterr()

    def submit(self, *options: str) -> str:
        code, out, err = self("submit", *options)
        assert code == 0, err
        return out

    def status(self) -> dict[str, Any]:
        code, out, err = self("status", "--json")
        assert code == 0, err
        document: dict[str, Any] = json.loads(out)
        return document

    def counts(self) -> tuple[int, int, int]:
        status = self.status()
        return status["done"], status["failed"], status["missing"]

    def states(self) -> list[str]:
        return [job["state"] for job in self.status()["jobs"]]

    def begin(self, number: int, name: str = "job0001", **more: str) -> subprocess.Popen[bytes]:
        """A job's script, as the batch system runs it."""
        return subprocess.Popen(
            ["bash", self.directory / "study.study" / "jobs" / f"{name}.sh"],
            env={**os.environ, **self.system.environment(number), **more},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def log(self) -> list[str]:
        file = self.directory / "log"
        return file.read_text().split() if file.exists() else []

    def hold_second(self) -> Path:
        """Lets the second run wait; its value is known from the script."""
        script = (self.directory / "study.study" / "jobs" / "job0001.sh").read_text()
        values = [line[len("# value")] for line in script.splitlines() if line[:7] == "# value"]
        hold = self.directory / f"hold-{values[1]}"
        hold.touch()
        return hold

    def is_killed_in_the_middle(self) -> None:
        """Job 7 runs one run, and is killed in the second."""
        self.submit()
        self.says(7, "running")
        hold = self.hold_second()
        job = self.begin(7)
        wait_for(lambda: len(self.log()) == 2)
        os.killpg(job.pid, signal.SIGKILL)
        job.wait(timeout=200)
        hold.unlink()


MakeStudy = Callable[..., Study]

one_system = pytest.mark.parametrize("name", cases([*SYSTEMS][:1], long=SYSTEMS))
"""One system, where they differ only in output, which the first test covers for each."""


@pytest.fixture
def study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> MakeStudy:
    def new_study(name: str, *resources: str) -> Study:
        monkeypatch.setenv("PATH", str(tmp_path / "commands"), prepend=os.pathsep)
        return Study(tmp_path, name, capsys, *resources)

    return new_study


@pytest.mark.parametrize("name", SYSTEMS)
def test_from_submission_to_the_end(study: MakeStudy, name: str) -> None:
    small = study(name)
    assert small.submit() == f"job0001: job {small.system.id.replace('NUMBER', '7')}, 3 runs\n"
    small.says(7, "waiting")
    assert small.states() == ["waiting"]
    assert small.counts() == (0, 0, 3)
    small.says(7, "running")
    assert small.states() == ["running"]
    assert small.submit() == "nothing to submit: every run is done, or in a job\n"

    assert small.begin(7).wait(timeout=200) == 0
    small.says(7, "gone")

    assert small.states() == ["ended"]
    assert small.counts() == (3, 0, 0)
    assert small.submit() == "nothing to submit: every run is done, or in a job\n"


@pytest.mark.parametrize("end", cases(ENDS[::6], long=ENDS), ids=" ".join)
def test_a_job_that_is_killed_in_the_middle(study: MakeStudy, end: tuple[str, str]) -> None:
    name, state = end
    small = study(name)
    small.is_killed_in_the_middle()
    small.says(7, state)

    failed = int(state in OWN_DOING)
    wait_for(lambda: small.status()["under_way"] == 0)
    status = small.status()
    assert [job["state"] for job in status["jobs"]] == [state]
    assert (status["done"], status["failed"], status["missing"]) == (1, failed, 2 - failed)
    assert status["lost_attempts"] == 1 - failed
    for failure in status["failures"]:
        assert failure["reasons"][0].endswith(f": {state}")

    assert small.submit().startswith("job0002: job ")
    small.says(8, "running")
    assert small.begin(8, "job0002").wait(timeout=200) == 0
    small.says(8, "gone")
    assert small.counts() == (3 - failed, failed, 0)
    assert len(small.log()) == 4 - failed


@pytest.mark.parametrize(
    ("words", "state"),
    [
        ("srun: error: Node failure on n3", "node failed"),
        ("srun: error: Slurm job 7 has expired", "timeout"),  # begun when the job was over
    ],
)
def test_a_run_that_its_launcher_says_was_cut_is_lost(
    study: MakeStudy, words: str, state: str
) -> None:
    """There is no metric to look for: only the launcher's words, here srun's, tell of the cut."""
    small = study("slurm")
    small.file.write_text(small.file.read_text().replace(METRIC, ""))
    small.submit()
    script = (small.directory / "study.study" / "jobs" / "job0001.sh").read_text()
    last = [line for line in script.splitlines() if line.startswith("# value")][-1]
    output_file = small.directory / f"says-{last[len('# value')]}"
    output_file.write_text(f"{words}\n")
    small.begin(7).wait(timeout=200)

    small.says(7, state)

    assert small.counts() == (2, 0, 1)


@one_system
def test_looking_at_jobs_changes_nothing_until_they_are_collected(
    study: MakeStudy, name: str
) -> None:
    """One of three runs is done, one was cut short, and one has not begun."""
    small = study(name)
    small.is_killed_in_the_middle()
    small.says(7, "gone")
    wait_for(lambda: small.status()["under_way"] == 0)
    before = entries(small.directory / "study.study")

    status = small.status()

    assert entries(small.directory / "study.study") == before
    assert (status["done"], status["missing"], status["lost_attempts"]) == (1, 2, 1)
    assert small("collect")[0] == 0
    assert entries(small.directory / "study.study") != before
    assert small.status() == status


@one_system
def test_a_refused_job_is_no_job(study: MakeStudy, name: str) -> None:
    small = study(name)
    (small.queue / "refusal").write_text("no such queue\n")

    code, _, err = small("submit")

    assert code == 2
    assert len(err.splitlines()) == 1
    assert "no such queue" in err
    assert small.states() == []
    (small.queue / "refusal").unlink()
    assert small.submit().startswith("job0002: job ")
    assert small.begin(99, "job0001").wait(timeout=200) == 0
    assert small.log() == [], "a job that was refused, or so it seemed, has made runs"


@one_system
def test_a_queue_that_is_silent_says_nothing_of_runs(study: MakeStudy, name: str) -> None:
    small = study(name)
    small.submit()
    small.hold_second()
    job = small.begin(7)
    wait_for(lambda: len(small.log()) == 2)
    (small.queue / "silent").touch()

    for action in ("status", "submit"):
        code, out, err = small(action)
        assert (code, out, len(err.splitlines())) == (2, "", 1), err
        assert "does not answer" in err

    (small.queue / "silent").unlink()
    small.says(7, "running")
    status = small.status()
    assert (status["done"], status["under_way"], status["lost_attempts"]) == (1, 1, 0)
    (next(small.directory.glob("hold-*"))).unlink()
    job.wait(timeout=200)
    assert small.counts() == (3, 0, 0)


def test_a_configuration_whose_warm_up_fails_stops_in_jobs_that_are_queued(
    study: MakeStudy,
) -> None:
    new_study = study("slurm", 'jobs = "block"')
    new_study.file.write_text(
        new_study.file.read_text().replace("warm_up = false", "warm_up = true")
    )
    script = new_study.directory / "small.sh"
    script.write_text(PROGRAM.replace("#!/bin/sh\n", "#!/bin/sh\ntest $1 != 2 || exit 7\n"))
    assert new_study.submit().count("job0") == 2
    for number, name in ((7, "job0001"), (8, "job0002")):
        assert new_study.begin(number, name).wait(60) == 0
    assert sorted(new_study.log()) == ["1", "1", "3", "3"]
    new_study.say("")
    status = new_study.status()
    assert (status["done"], status["failed"], status["missing"], status["not_made"]) == (4, 1, 0, 1)
    code, out, err = new_study("submit")
    assert (code, "nothing to submit" in out) == (0, True)
    assert "the warm-up failed of value2; --failed makes these runs again" in err
    script.write_text(PROGRAM)
    assert "job0003" in new_study.submit("--failed")
    assert new_study.begin(9, "job0003").wait(60) == 0
    assert new_study.log().count("2") == 1


def test_a_configuration_that_the_study_gave_up_does_not_disturb(study: MakeStudy) -> None:
    small = study("pbs")
    small.submit()
    small.file.write_text(small.file.read_text().replace("[1, 2, 3]", "[1, 2]"))
    small.says(7, "running")
    assert small.counts() == (0, 0, 2)
    small.begin(7).wait(timeout=200)
    small.says(7, "gone")
    assert small.counts() == (2, 0, 0)


def test_tasks_of_an_array_have_states_of_their_own(study: MakeStudy) -> None:
    small = study("pbs", 'jobs = "array"')
    small.file.write_text(small.file.read_text().replace("blocks = 1", "blocks = 2"))
    qsub = small.queue / "qsub"
    qsub.write_text(qsub.read_text().replace("NUMBER.pbs", "NUMBER[].pbs"))
    assert small.submit() == "job0001: job 7[].pbs, 6 runs\n"
    script = (small.directory / "study.study" / "jobs" / "job0001.sh").read_text()
    assert "#PBS -J 1-2\n" in script
    index = {"PBS_ARRAY_INDEX": "1", "PBS_JOBID": "7[1].pbs"}
    assert small.begin(7, **index).wait(timeout=200) == 0

    letters = {"7[].pbs": "B", "7[1].pbs": "X", "7[2].pbs": "Q"}
    jobs = {job: {"job_state": letter, "Exit_status": 0} for job, letter in letters.items()}
    small.say(json.dumps({"Jobs": jobs}))

    assert small.states() == ["ended, waiting"]
    assert small.counts() == (3, 0, 3)
    index = {"PBS_ARRAY_INDEX": "2", "PBS_JOBID": "7[2].pbs"}
    assert small.begin(7, **index).wait(timeout=200) == 0
    small.say("{}")
    assert small.states() == ["ended"]
    assert small.counts() == (6, 0, 0)


@pytest.mark.parametrize("action", ["check", "submit"])
def test_flux_has_no_arrays(study: MakeStudy, action: str) -> None:
    small = study("flux", 'jobs = "array"')

    code, out, err = small(action)

    assert code == 2
    assert len(err.splitlines()) == 1
    assert 'Flux has no arrays of batch scripts; write jobs = "block" or "run"' in out + err
    assert not (small.directory / "study.study").exists()
