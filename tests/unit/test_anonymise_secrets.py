"""`export --anonymise` against planted secrets: no byte of them is in any file that it writes."""

from __future__ import annotations

import itertools
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests import synthetic, synthetic_waits
from tests.synthetic_jobs import rounds
from waywiser.cli.main import main
from waywiser.model.export import Export
from waywiser.model.pairs import Pairs
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.store.anonymise import anonymise
from waywiser.store.directory import RunDirectory
from waywiser.store.harmless import harmless

SECRETS = (
    *("n17", "n[17-20]", "17-20", "login3", "gpu-12", "node-7", "10.1.2.3", "fe80"),
    *("ada", "lovelace", "ada@lab.example.org", "example.org"),
    *("alpha42", "moonbase", "4711", "highmem", "nightly", "debug-queue", "res-maint"),
    *(
        "/home/ada",
        "/sw/",
        "hunter2",
        "s3cr3t",
        "ghp_abcdefghijklmnopqrstuvwxyz",
        "sk-0123456789abcdef",
    ),
)
COMMANDS = {
    "Open MPI": [
        *("mpirun", "-n", "4", "--host", "n17:2,login3:2", "--hostfile", "/home/ada/hosts"),
        *("-H", "gpu-12", "--add-host", "node-7", "-x", "MOONBASE_TOKEN=s3cr3t", "-x", "ADA"),
        *("-x", "OMP_NUM_THREADS=2", "--mca", "btl_tcp_if_include", "10.1.2.3/24"),
        *("--mca", "plm_rsh_agent", "ssh -l ada", "--mca", "btl", "self,tcp"),
        *("--mca", "pml", "ob1", "--mca", "account", "4711"),
        *( "--prefix", "/sw/moonbase", "--wdir=/home/ada/moonbase"),
        *("--map-by", "ppr:2:node", "--bind-to", "core", "--rankfile", "moonbase.rf"),
        *("--output-filename", "nightly", "--personality", "moonbase", "--unheard-of=s3cr3t"),
    ],
    "MPICH hydra": [
        *("mpiexec.hydra", "-n", "4", "-ppn", "2", "-hosts", "n17,login3", "-f", "moonbase.hosts"),
        *("-genv", "MOONBASE", "s3cr3t", "-env", "API_KEY=s3cr3t", "-genvlist", "ADA,MOONBASE"),
        *("-genv", "FI_PROVIDER", "tcp", "-iface", "fe80::1", "-localhost", "login3"),
        *("-wdir", "/home/ada", "-bind-to", "core:2", "-launcher", "ssh"),
        *("-launcher-exec", "/sw/ssh"),
    ],
    "Intel MPI": [
        *("mpirun", "-n", "4", "-perhost", "2", "-machinefile", "/home/ada/m", "-host", "n17"),
        *("-genv", "I_MPI_PIN_DOMAIN", "omp", "-genv", "I_MPI_MOONBASE", "alpha42"),
        *("-machine", "gpu-12", "-bootstrap", "slurm", "-bootstrap-exec-args", "-l ada"),
    ],
    "srun": [
        *("srun", "-N", "2", "-n4", "-c", "2", "-w", "n[17-20]", "--nodelist=n[17-20]"),
        *("--exclude", "gpu-12", "-x", "node-7", "--exclude=login3", "-A", "alpha42"),
        *("--account=alpha42", "-p", "highmem", "--partition=highmem", "-J", "moonbase"),
        *("--mail-user=ada@lab.example.org", "--mail-user", "ada@lab.example.org"),
        "--job-name=moonbase",
        *("--comment", "for ada lovelace", "--wckey=moonbase", "--reservation=res-maint"),
        *("--qos", "nightly", "--uid=ada", "--chdir=/home/ada", "-o", "/home/ada/%j.out"),
        *("--export=ALL,TOKEN=s3cr3t,OMP_NUM_THREADS=2", "--jobid=4711", "--mpi=pmix"),
        *("--dependency=afterok:4711", "--constraint=moonbase", "--cpu-bind=cores"),
    ],
    "sbatch": [
        *("sbatch", "--ntasks=4", "-A", "alpha42", "-p", "highmem", "-w", "n17", "-D", "/home/ada"),
        *("--mail-user=ada@lab.example.org", "--wrap", "srun -A alpha42 ./app --token s3cr3t"),
        *("--export", "ALL,PASSWORD=hunter2", "--job-name", "moonbase"),
    ],
    "PBS qsub": [
        *("qsub", "-A", "alpha42", "-q", "debug-queue", "-N", "moonbase"),
        *("-M", "ada@lab.example.org"),
        *("-l", "select=1:host=n17:ncpus=4", "-l", "nodes=node-7:ppn=4", "-v", "TOKEN=s3cr3t"),
        *("-P", "moonbase", "-o", "login3:/home/ada/out", "-W", "group_list=alpha42", "-u", "ada"),
    ],
    "flux": [
        *("flux", "run", "-N", "2", "-n", "4", "--requires=host:n17", "--bank=alpha42"),
        *("--queue=debug-queue", "--cwd=/home/ada", "--env=TOKEN=s3cr3t", "--setattr=user.ada=1"),
        *("--job-name=moonbase", "-o", "userrc=/home/ada/rc", "--flags=waitable"),
    ],
}  # fmt: skip
ARGUMENTS = (
    *("--input=/home/ada/moonbase/in.dat", "--title", "moonbase", "-u", "ada", "alpha42"),
    *("--mail", "ada@lab.example.org", "--api-key", "sk-0123456789abcdef", "--password=hunter2"),
    *("https://ada:hunter2@login3/x", "ghp_abcdefghijklmnopqrstuvwxyz", "-n", "4711", "n17"),
)
ENVIRONMENT = {
    "SLURM_JOB_ID": "4711",
    "SLURM_JOB_PARTITION": "highmem",
    "SLURM_NTASKS": "4",
    "PBS_JOBID": "4711.login3",
    "FLUX_JOB_ID": "moonbase",
    "LD_LIBRARY_PATH": "/home/ada/lib:/sw/lib",
    "LD_PRELOAD": "moonbase.so",
    "OMPI_MCA_btl_tcp_if_include": "10.1.2.3/24",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_moonbase": "1",
    "I_MPI_HYDRA_HOST_FILE": "/home/ada/hosts",
    "UCX_NET_DEVICES": "n17",
    "UCX_TLS": "tcp,login3",
    "OMP_NUM_THREADS": "2",
    "OMP_PLACES": "cores(4)",
    "FI_PROVIDER": "alpha42",
}
NOTES = (
    "moonbase is linked to /home/ada/lib/libmpi.so, but it never called MPI_Init",
    "srun: error: ada@lab.example.org: account alpha42 has no access to n17",
)


def run_with_secrets(launcher: str) -> Run:
    run = synthetic.run(2)
    program = run.program.replace(path="/home/ada/bin/app", arguments=ARGUMENTS)
    return run.replace(
        command=(*COMMANDS[launcher], "./app", *ARGUMENTS),
        program=program,
        environment=ENVIRONMENT,
        notes=NOTES,
        directory="/home/ada/moonbase",
        rank_order_file="/home/ada/order",
        imported_from="/home/ada/otf2/traces.otf2",
        machine=run.machine.replace(host="login3", kernel="Linux 6.1.0-moonbase"),
    )


@pytest.mark.parametrize("launcher", COMMANDS)
@pytest.mark.parametrize("to_file", [True, False], ids=["file", "stdout"])
def test_no_launchers_syntax_tells_a_secret(
    tmp_path: Path, launcher: str, to_file: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    directory = rounds(["n17", "gpu-12"], [1.0, 2.0]).run(tmp_path / "run")
    RunDirectory(directory).write_run(run_with_secrets(launcher))
    file = tmp_path / "out.json"

    options = ["-o", str(file)] if to_file else []
    assert main(["export", str(directory), "--to", "json", "--anonymise", *options]) == 0

    written = file.read_text(encoding="utf-8") if to_file else capfd.readouterr().out
    assert [secret for secret in SECRETS if secret in written] == []
    run = Export.model_validate_json(written).run
    assert run.anonymised
    assert len(run.command) == len(COMMANDS[launcher]) + 1 + len(ARGUMENTS)
    assert run.command[0] == COMMANDS[launcher][0]
    assert run.program.path == "app"


KEPT = {
    "Open MPI": "-n 4|-x OMP_NUM_THREADS=2|--mca btl self,tcp|--mca pml ob1|--map-by ppr:2:node"
    "|--bind-to core",
    "MPICH hydra": "-n 4|-ppn 2|-genv FI_PROVIDER tcp|-bind-to core:2",
    "Intel MPI": "-n 4|-perhost 2|-genv I_MPI_PIN_DOMAIN omp|-bootstrap slurm",
    "srun": "-N 2 -n4 -c 2|--nodelist=(removed) --exclude (removed)|--mpi=pmix|--cpu-bind=cores",
    "sbatch": "--ntasks=4 -A (removed)",
    "PBS qsub": "-A (removed)",
    "flux": "-N 2 -n 4",
}


@pytest.mark.parametrize("launcher", COMMANDS)
def test_what_a_launcher_does_with_ranks_stays(launcher: str) -> None:
    clean, _ = anonymise(run_with_secrets(launcher), synthetic.summary(2))

    line = " ".join(clean.command)
    assert [kept for kept in KEPT[launcher].split("|") if kept not in line] == []
    assert line.endswith(" app" + " (removed)" * len(ARGUMENTS))


def test_variables_stay_where_they_tell_nobody() -> None:
    clean, _ = anonymise(run_with_secrets("srun"), synthetic.summary(2))

    assert clean.environment == {
        "SLURM_NTASKS": "4",
        "LD_LIBRARY_PATH": "(removed)",
        "LD_PRELOAD": "(removed)",
        "OMPI_MCA_pml": "ob1",
        "UCX_TLS": "(removed)",
        "OMP_NUM_THREADS": "2",
        "OMP_PLACES": "cores(4)",
        "FI_PROVIDER": "(removed)",
    }


def test_programs_after_a_colon_tell_nobody() -> None:
    command = ("mpirun", "-n", "1", "./app", "-u", "ada", ":", "-n", "2", "./moonbase", "alpha42")
    run = synthetic.run(2)
    program = run.program.replace(path="/x/app", arguments=("-u", "ada"))

    clean, _ = anonymise(run.replace(command=command, program=program), synthetic.summary(2))

    assert clean.command == (
        *("mpirun", "-n", "1", "app", "(removed)", "(removed)", ":", "-n", "2"),
        *("(removed)", "(removed)"),
    )


@pytest.mark.parametrize(
    "text", ["n17", "node-x", "10.1.2.3", "1.2.3", "fe80::1:2", "a@b", "a/b", "4711234567", "x y"]
)
def test_what_may_be_a_name_is_not_harmless(text: str) -> None:
    assert not harmless(text)


def planted(kind: Any, path: str, number: Iterator[int], where: dict[str, str]) -> Any:
    """A value of a type in which each text is another one; `where` tells where each is."""
    if origin := typing.get_origin(kind):
        of = typing.get_args(kind)
        if origin is typing.Literal:
            return of[0]
        if origin is typing.Annotated:
            return Pairs(()) if of[0] is Pairs else planted(of[0], path, number, where)
        if origin in (typing.Union, types.UnionType):
            chosen = next(alternative for alternative in of if alternative is not type(None))
            return planted(chosen, path, number, where)
        if origin in (dict, Mapping):
            key = "late_sender" if typing.get_origin(of[0]) is typing.Literal else "MPI_Send"
            return {key: planted(of[1], path, number, where)}
        if origin in (tuple, list, Sequence):
            inner = [element for element in of if element is not Ellipsis]
            return tuple(planted(element, path, number, where) for element in inner)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        hints = typing.get_type_hints(kind, include_extras=True)
        fields = {
            name: planted(hints[name], f"{path}.{name}" if path else name, number, where)
            for name in kind.model_fields
        }
        return kind.model_construct(**fields)
    if kind is str:
        text = f"Planted{next(number)}x"
        where[text] = path
        return text
    return {bool: False, int: 1, float: 1.0, datetime: datetime(2026, 1, 1, tzinfo=UTC)}[kind]


NAMES_OF_CODE = {
    f"summary.waits.{place}.{part}"
    for place in (
        *("causes.waiting", "causes.before", "causes.after"),
        *("critical_path.place", "iterations.first"),
    )
    for part in ("function", "place")
} | {f"summary.call_sites.{part}" for part in ("place", "module", "address", "function")}
FACTS = {
    *("run.waywiser", "summary.waywiser", "summary.mpi.abi", "run.program.compiler"),
    *("run.program.path", "run.program.mpi_library", "run.machine.system", "run.machine.cpu"),
    *("run.machine.governor", "summary.per_rank.cpus", "summary.communicators.ranks"),
    "summary.waits.clocks.method",
    *(f"summary.roofline.kernels.{name}" for name in ("label", "bound_by", "roof.like")),
    "summary.roofline.kernels.roof.instructions",
}
SENTENCES = {
    *("run.trace.lost", "run.virtual.remarks", "summary.lost", "summary.trace.lost"),
    *("summary.virtual.remarks", "summary.waits.remarks", "summary.collective_remarks"),
    *("summary.gate.unreliable", "summary.gate.unlike", "summary.gate.remedies"),
    *("summary.per_rank.not_counted", "summary.nodes.unknown"),
}
"""Waywiser's own; they name ranks, and lose what is known as a host, a user or a path."""


def test_every_text_of_the_document_is_removed_or_kept_on_purpose() -> None:
    where: dict[str, str] = {}
    number = itertools.count()
    whole = planted(Export, "", number, where)
    named = whole.run.replace(command=("mpirun", "-n", "2", "Planted", "Planted"))

    run, summary = anonymise(named, whole.summary)

    document = Export.model_construct(run=run, summary=summary).model_dump_json(warnings=False)
    survived = {path for text, path in where.items() if text in document}
    assert survived == NAMES_OF_CODE | FACTS | SENTENCES


def test_waits_and_advice_tell_no_more_than_call_sites() -> None:
    waits = synthetic_waits.waits(2, "solve")
    summary: Summary = synthetic.summary(2).replace(waits=waits)

    _, clean = anonymise(synthetic.run(2), summary)

    assert clean.waits is not None
    assert clean.waits.causes[0].waiting.place == "solve at cg.c:12"
