"""run.json and its export: what was run and where, without secrets, and on demand without names."""

from __future__ import annotations

import getpass
import json
import os
import platform
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from waywiser.model.run import Run
from waywiser.store.read import read_run

pytestmark = pytest.mark.in_turn

WORKING_DIRECTORY = {"openmpi": ["--wdir"], "mpich": ["-wdir"], "impi": ["-wdir"]}


def test_provenance(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    program = build(mpi, "actor.c")
    command = mpi.command(2, program, "code", "0")
    settings = {"OMP_NUM_THREADS": "3", "MY_SECRET_TOKEN": "hunter2", "FI_PROVIDER_TOKEN": ""}
    before = datetime.now(UTC)

    assert waywiser.profile(command, env=settings).returncode == 0

    text = (waywiser.directory / "run" / "run.json").read_text()
    run = Run.model_validate_json(text)
    assert Run.model_validate_json(run.model_dump_json()) == run
    assert (run.status, run.exit_code, run.command) == ("complete", 0, tuple(command))
    assert run.program.path == str(program.resolve())
    assert run.program.arguments == ("code", "0")
    assert "GCC" in run.program.compiler or "clang" in run.program.compiler
    assert Path(run.program.mpi_library).name.startswith("libmpi.so")
    assert (run.mpi.library, run.mpi.abi) == (mpi.full_name, mpi.abi)
    assert run.mpi.version[0].isdigit()
    assert (run.mpi.transport != "unknown") == (mpi.name != "impi")  # Intel's does not say
    assert before - timedelta(seconds=1) < run.started < (run.ended or before) < datetime.now(UTC)
    assert run.directory == str(waywiser.directory)
    assert run.user == getpass.getuser()
    machine = run.machine
    assert (machine.host, machine.hardware_threads) == (platform.node(), os.cpu_count())
    assert platform.release() in machine.kernel
    assert "unknown" not in (machine.system, machine.cpu)
    assert 1 <= machine.sockets <= machine.cores <= machine.hardware_threads
    assert machine.memory_bytes > 1 << 28
    assert run.environment["OMP_NUM_THREADS"] == "3"
    assert "hunter2" not in text
    assert not {"HOME", "PATH", "MY_SECRET_TOKEN"} & set(run.environment)
    assert run.state_directory is None
    assert sorted(path.name for path in (waywiser.directory / "run").iterdir()) == [
        "profile.ww",
        "run.json",
        "stderr",
        "stdout",
    ]


def test_arguments_that_are_no_text(openmpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    argument = os.fsdecode(b"caf\xe9 <b>&\n")

    waywiser.profiles(openmpi.command(1, build(openmpi, "actor.c"), "nothing", argument))

    run, _ = read_run(waywiser.directory / "run")
    assert run.program.arguments == ("nothing", "caf\ufffd <b>&\n")


def test_anonymised_export_names_nobody(mpi: MpiLibrary, waywiser: Waywiser, build: Build) -> None:
    host, user = platform.node(), getpass.getuser()
    directory = str(waywiser.directory)
    arguments = [
        f"--input={directory}/in.dat",
        f"{user}@{host}:data",
        f"-I{directory}/include",
        "relative/deeper/file",
        "~/secret/file",
        f"'{directory}/with space/x'",
        f"a={directory},b={directory}",
    ]
    settings = {"LD_LIBRARY_PATH": f"{directory}/lib:/opt/someone/lib", "UCX_TLS": f"tcp,{host}"}
    command = mpi.command(2, build(mpi, "actor.c"), "nothing", *arguments)
    assert waywiser.profile(command, env=settings).returncode == 0

    plain = waywiser.here("export", "run", "--to", "json")
    anonymous = waywiser.here("export", "run", "--to", "json", "--anonymise")

    assert directory in plain.stdout
    assert host in plain.stdout
    assert anonymous.returncode == 0, anonymous.stderr
    document = json.loads(anonymous.stdout)
    own = waywiser.directory.name
    unwanted = (
        host,
        directory,
        own,
        str(Path.home()),
        "opt/",
        "deeper",
        "secret",
        "space",
        "in.dat",
    )
    for name in unwanted:
        assert name not in anonymous.stdout, name
    assert document["run"]["command"][0] == "mpirun"
    assert document["run"]["program"]["path"] == f"actor-{mpi.name}"
    assert document["run"]["program"]["arguments"] == ["(removed)"] * (1 + len(arguments))
    assert f'"{user}"' not in anonymous.stdout
    assert f"{user}@" not in anonymous.stdout
    assert document["run"]["anonymised"] is True
    assert {rank["host"] for rank in document["summary"]["per_rank"]} == {"host-0"}
    functions = json.loads(plain.stdout)["summary"]["functions"]
    assert document["summary"]["functions"] == functions


def test_a_secret_never_reaches_the_disk(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """The program gets it, and no file of the run has it."""
    secret = "hunter2"
    words = ["nothing", "--token", secret, f"--password={secret}", f"API_KEY={secret}"]
    words += [f"https://ada:{secret}@host/in.dat"]
    command = openmpi.command(1, "-x", f"DB_PASSWORD={secret}", build(openmpi, "actor.c"), *words)
    settings = {"UCX_AUTH_TOKEN": secret}

    waywiser.profiles(command, env=settings)

    files = [path for path in (waywiser.directory / "run").rglob("*") if path.is_file()]
    assert files
    assert [path.name for path in files if secret.encode() in path.read_bytes()] == []
    run, _ = read_run(waywiser.directory / "run")
    assert run.program.arguments == (
        *("nothing", "--token", "(masked)", "--password=(masked)", "API_KEY=(masked)"),
        "https://(masked)@host/in.dat",
    )
    assert run.environment["UCX_AUTH_TOKEN"] == "(masked)"


def test_a_run_without_a_name_gets_one(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    program = build(openmpi, "actor.c")

    done = waywiser("profile", "--", *openmpi.command(1, program))

    (run,) = waywiser.directory.glob("*.ww")
    assert run.name.startswith(f"{program.name}-")
    assert f"waywiser show {run.name}" in done.stderr


def test_wrappers_and_shells_are_followed(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build
) -> None:
    """A script that starts the program, a shell line, several programs, and the program alone."""
    program = build(mpi, "actor.c")
    script = waywiser.directory / "wrapper.sh"
    script.write_text('#!/bin/sh\nhostname > /dev/null\nexec "$@"\n')
    script.chmod(0o755)
    shutil.copy(program, waywiser.directory / "bare-name")
    (waywiser.directory / "there").mkdir()
    shutil.copy(program, waywiser.directory / "there" / "program")
    several = [*mpi.command(1, program), ":", "-n", "2", "bare-name", "nothing", ":", "-n", "1"]
    several += [*WORKING_DIRECTORY[mpi.name], "there", "./program"]
    for name, ranks, command in (
        ("script", 2, mpi.command(2, "./wrapper.sh", program)),
        ("shell", 2, mpi.command(2, "sh", "-c", f"{program} nothing; true")),
        ("several", 4, several),
        ("alone", 1, [str(program)]),
    ):
        waywiser.profiles(command, f"run-{name}")
        document = waywiser.show(f"run-{name}")
        assert (document["status"], document["lost"]) == ("complete", []), name
        assert document["functions"]["MPI_Sendrecv"]["calls"] == ranks, name
