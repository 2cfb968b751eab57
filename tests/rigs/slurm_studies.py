"""Studies for the Slurm of the rig, and what it takes to hold their runs or to cut them short."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any
from unittest import mock

from tests.forked import instead_of_starting
from tests.rigs.slurm import Slurm
from tests.support import BIN, environment, executable, succeeded, wait_for
from waywiser.cli.main import main

PROGRAM = """\
#!/bin/sh
# Notes that it runs; with hold/N there, the Nth run of the study waits until it is gone.
echo $1 >>log
number=$(wc -l <log)
echo "$(hostname)" >nodes/$1
while [ -e hold/$number ]; do sleep 0.1; done
[ ! -e greedy/$number ] || python3 -c 'import time; x = bytes([1]) * (500 << 20); time.sleep(100)'
echo "metric: $1"
"""

STUDY = """\
title = "a small study"
profile = "never"
mpi.site = { launcher = "/usr/bin/srun", library = "mpich" }

[application.small]
shell = "cd {study} && ./small.sh {value}"
metrics.metric = { pattern = 'metric: (\\S+)', unit = "s", better = "lower" }

[axes]
value = VALUES

[repeats]
blocks = BLOCKS
warm_up = false

[resources]
scheduler = "slurm"
cores_per_node = 4
"""

LIBRARIES = """\
title = "miniFE on a cluster"

[mpi.openmpi]
LAUNCHER
environment = { OMPI_MCA_btl = "self,sm,tcp" }

[mpi.mpich]
LAUNCHER
environment = { FI_TCP_IFACE = "eth0" }

[application.minife]
reader = "minife"
workload = "minife"
arguments = ["--nx", "8"]

[axes]
nodes = [1, 2]
ranks = 2

[repeats]
blocks = 2
warm_up = false

[resources]
scheduler = "slurm"
cores_per_node = 4
"""


class Cluster:
    """The rig, and the environment of a user at it."""

    def __init__(self, slurm: Slurm, directory: Path) -> None:
        self.slurm = slurm
        self.directory = directory
        path = f"{slurm.commands()}:{os.environ['PATH']}"
        self.environment = environment({"PATH": path, **slurm.environment})

    def tell(self, *words: str) -> str:
        done = succeeded(self.slurm.run(*words))
        return done.stdout


class Study:
    """A study in a directory that all nodes see."""

    def __init__(self, cluster: Cluster, name: str, text: str) -> None:
        self.cluster = cluster
        self.home = cluster.directory / name
        for part in ("hold", "greedy", "nodes", "commands"):
            (self.home / part).mkdir(parents=True)
        executable(self.home / "small.sh", PROGRAM)
        self.file = self.home / "study.toml"
        self.file.write_text(text)
        self.directory = self.home / "study.study"
        self.environment = dict(cluster.environment)

    def start(self, action: str, *options: str) -> subprocess.Popen[str]:
        words = ["study", action, str(self.file), *options]
        return subprocess.Popen(
            [BIN / "waywiser", *words],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=instead_of_starting(words, self.environment),
        )

    def __call__(self, action: str, *options: str) -> subprocess.CompletedProcess[str]:
        process = self.start(action, *options)
        out, err = process.communicate(timeout=200)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def submit(self, *options: str) -> str:
        done = self("submit", *options)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def collected(self, runs: str = "runs/*/*") -> list[dict[str, Any]]:
        """The records of runs once they are collected."""
        done = self("collect")
        assert done.returncode == 0, done.stderr
        return [json.loads(file.read_text()) for file in self.directory.glob(f"{runs}/run.json")]

    def status(self) -> dict[str, Any]:
        """Asked in this process, since it is asked often."""
        output = io.StringIO()
        with mock.patch.dict(os.environ, self.environment), contextlib.redirect_stdout(output):
            assert main(["study", "status", "--json", str(self.file)]) == 0
        document: dict[str, Any] = json.loads(output.getvalue())
        return document

    def counts(self) -> tuple[int, int, int]:
        status = self.status()
        return status["done"], status["failed"], status["missing"]

    def wait(self) -> dict[str, Any]:
        """Waits until no job can do anything more; returns the status."""
        status: dict[str, Any] = {}

        def all_over() -> bool:
            nonlocal status
            status = self.status()
            states = {state for job in status["jobs"] for state in job["state"].split(", ")}
            return not states & {"waiting", "running"}

        wait_for(all_over, period=0.5)
        return status

    def log(self) -> list[str]:
        """The value of every run, once for each time that it was begun."""
        file = self.home / "log"
        return file.read_text().split() if file.exists() else []

    def wait_for_run(self, number: int) -> None:
        wait_for(lambda: len(self.log()) >= number)

    def hold(self, number: int) -> Path:
        file = self.home / "hold" / str(number)
        file.touch()
        return file

    def put_before_sbatch(self, script: str) -> None:
        """Makes `sbatch` a shell script, in which $SBATCH is the real one."""
        command = self.home / "commands" / "sbatch"
        executable(command, f"#!/bin/sh\nSBATCH={shutil.which('sbatch', path=self.path)}\n{script}")
        self.environment["PATH"] = f"{command.parent}:{self.path}"

    @property
    def path(self) -> str:
        return self.cluster.environment["PATH"]

    def restore_sbatch(self) -> None:
        self.environment["PATH"] = self.path
