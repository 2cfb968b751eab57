"""Shared features of ww-memory, -grid, -comm, -fd, -propa and -minife: help, roofline, exchange."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kernel_programs import Sample, measured, refusal, samples
from tests.mutants import workload
from tests.support import ROOT, MpiLibrary, Waywiser, captured, cases, succeeded
from tests.system.test_tutorial import Step, steps

PROGRAMS = ["memory", "grid", "comm", "fd", "propa"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_help_is_printed_once_and_names_every_variant(openmpi: MpiLibrary, name: str) -> None:
    output = openmpi.run(2, openmpi.program(f"ww-{name}"), "--help").stdout
    refused = refusal(openmpi, f"ww-{name}", 2, "--variant=nobody")

    assert output.count("--variant ") == 1
    [named] = re.findall(r"one of (.*)", refused)
    words = set(re.findall(r"[\w-]+", output))
    assert {word for word in re.findall(r"[\w-]+", named) if word != "or"} <= words


SMALL = ["--n1=40", "--tries=2"]
SOURCE = ["--source=200,200,200", "--frequency=15", "--steps=8", "--layer=10"]
WITH_ROOFLINE = {
    "memory": ("ww-memory", SMALL),
    "grid": ("ww-grid", SMALL),
    "comm": ("ww-comm", [*SMALL, "--variant=all"]),
    "fd": ("ww-fd", [*SMALL, "--variant=all"]),
    "propa": ("ww-propa", [*SMALL, "--variant=all"]),
    "modelling": ("ww-propa", [*SMALL, "--variant=all", *SOURCE]),
    "minife": ("ww-minife", ["--nx=16", "--operator=all", "--roofline"]),
}


@pytest.mark.parametrize("name", WITH_ROOFLINE)
def test_every_kernel_tells_its_share_of_the_roofline_of_its_run(
    waywiser: Waywiser, openmpi: MpiLibrary, tmp_path: Path, name: str
) -> None:
    """Bytes and flops a point, bandwidths and peak of the same run; and the report draws them."""
    program, options = WITH_ROOFLINE[name]

    measured = samples(openmpi.program(program), openmpi, tmp_path, *options, ranks=2)

    with_roofline = [sample for sample in measured if "roofline" in sample["details"]]
    assert {sample["variant"] for sample in with_roofline} == {
        sample["variant"] for sample in measured
    }
    for sample in with_roofline:
        assert_consistent(sample)
    command = openmpi.command(1, openmpi.program("ww-grid"), "--n1=8", "--tries=1")
    assert waywiser.profile(command).returncode == 0
    succeeded(waywiser.here("report", "run", "--samples", str(tmp_path / "samples.jsonl")))
    page = (waywiser.directory / "run" / "report.html").read_text(encoding="utf-8")
    assert '<section id="roofline">' in page
    for sample in with_roofline:
        assert f"{sample['workload']} {sample['phase']} {sample['variant']}" in page


REMEMBERED = {
    "fd --n1=24 --operator=laplacian --order=4 --precision=fp64 --tries=1 --p3=2": (
        ":fd:laplacian:order-4:fp64:24:24:24:1:1:2:1:auto",
        ("blocked:24x10x4", "nontemporal:24x10x4"),
    ),
    "propa --n1=24 --tries=1": (":propa:order-8:fp32:24:24:24:1:1:1:1:auto", ("split:24x10x4",)),
    "memory --n1=40 --kernel=copy --variant=auto --tries=2": (
        ":memory.copy:fp32:64000",
        ("plain", "nontemporal"),
    ),
    "minife --nx=12 --operator=auto": (":minife::12:12:12:1:1", ("symmetric", "blocks")),
}
"""Command -> how the key of its choice ends, and other choices."""


@pytest.mark.parametrize("command", REMEMBERED)
def test_the_fastest_variant_is_remembered(
    openmpi: MpiLibrary, tmp_path: Path, command: str
) -> None:
    """The choice holds for its operator, order, precision, size, layout and number of threads,
    until --retune."""
    name, *words = command.split()
    end, others = REMEMBERED[command]
    cache = tmp_path / "cache" / "waywiser" / "kernels.txt"

    def chosen(*more: str) -> str:
        program, ranks = openmpi.program(f"ww-{name}"), 1 + ("--p3=2" in words)
        last = samples(program, openmpi, tmp_path, *words, *more, ranks=ranks)[-1]
        block = last["details"].get("block")
        return f"{last['variant']}:{block}" if block else str(last["variant"])

    first = chosen()
    [(key, kept)] = [line.split() for line in cache.read_text(encoding="utf-8").splitlines()]
    assert kept == first
    assert key.endswith(end)
    other_choice = next(choice for choice in others if choice.split(":")[0] != first.split(":")[0])
    cache.write_text(f"{key} {other_choice}\n", encoding="utf-8")
    assert chosen() == other_choice
    chosen("--retune")
    assert len(cache.read_text(encoding="utf-8").splitlines()) == 2


def assert_consistent(sample: Sample) -> None:
    limits = sample["details"]["roofline"]
    bounds = [limits[f"{limits['like']}_Bps"] / limits["bytes_per_point"]]
    if limits["flops_per_point"]:
        bounds.append(limits["flops_per_s"] / limits["flops_per_point"])
    assert limits["bound_points_per_s"] == pytest.approx(min(bounds))
    done = sample["points"] * sample["parameters"].get("iterations", 1)  # rows of ww-minife
    assert limits["points_per_s"] == pytest.approx(done / sample["seconds"], rel=1e-6)
    assert limits["fraction"] == pytest.approx(limits["points_per_s"] / min(bounds))
    assert limits["fraction"] > 0
    assert limits["instructions"] in ("AVX-512", "AVX2", "baseline")
    if sample["workload"] == "memory":
        assert limits["bytes_per_point"] == sample["details"]["moved_bytes"] / sample["points"]
    for bandwidth in ("read", "copy", "triad", "leapfrog"):
        assert limits[f"{bandwidth}_Bps"] > 1e8


@pytest.mark.in_turn
@pytest.mark.parametrize(("name", "applied"), [("propa", 16), ("fd", 7 * 2)])
def test_halos_are_exchanged_by_persistent_requests_alone(
    waywiser: Waywiser, mpi: MpiLibrary, name: str, applied: int
) -> None:
    """One start and one wait for each application of a kernel, and nothing that blocks."""
    options = ["--n1=32", "--p3=2", "--order=6", "--tries=1", "--variant=blocked"]
    options += ["--block=32x16x4", "--json=s.json"]
    waywiser.profiles(mpi.command(2, mpi.program(f"ww-{name}"), *options))
    profile = waywiser.show("run", "--per-rank")

    for rank in profile["per_rank"]:
        calls = {function: total["calls"] for function, total in rank["functions"].items()}
        assert calls["MPI_Startall"] == calls["MPI_Waitall"] == applied
        assert not {"MPI_Send", "MPI_Recv", "MPI_Sendrecv", "MPI_Isend", "MPI_Irecv"} & set(calls)
    face = 4 * 32 * 32 * 3
    assert sorted(profile["matrix"]["bytes"]) == [[0, 1, applied * face], [1, 0, applied * face]]


PAGES = {
    "lattice": (4, "--x=4 --y=4 --z=4 --t=4 --tries=1"),
    "npb": (3, "--iterations=3 --tries=1"),
    "tbl": (3, "--n1=8 --n2=8 --n3=8 --steps=2"),
    "shallow": (5, "--grid=2 --levels=1 --steps=2"),
    "spectral": (4, "--truncation=10 --levels=4 --steps=2"),
}
"""Program -> how many commands its page has at least, and what makes them small."""


@pytest.mark.parametrize("name", PAGES)
def test_the_commands_of_a_page_run(openmpi: MpiLibrary, tmp_path: Path, name: str) -> None:
    """Commands run on small grids, except for matrices, which need no run."""
    least, small = PAGES[name]
    page = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    commands = re.findall(rf"^\$ (?:mpirun -n (\d+) )?ww-{name} (.*[^\\])$", page, re.MULTILINE)
    parts = "".join(f"{cell % 4}\n" for cell in range(162))
    (tmp_path / "mesh.graph.part.4").write_text(parts, encoding="utf-8")

    assert len(commands) >= least
    for ranks, options in commands:
        words = options.split()
        if "--matrix=" not in options:
            words += [
                option
                for option in small.split()
                if "--days=" not in options or "steps" not in option
            ]
        command = openmpi.command(int(ranks or 1), openmpi.program(f"ww-{name}"), *words)
        captured(command, cwd=tmp_path, check=True)


@pytest.mark.parametrize(
    "step",
    [step for step in steps("workloads.md") if "-n 2 ww-" in step.command],
    ids=lambda step: step.command.split()[3],
)
def test_the_page_of_workloads_shows_what_each_prints(openmpi: MpiLibrary, step: Step) -> None:
    _, _, ranks, program, *options = step.command.split()

    printed = openmpi.run(int(ranks), openmpi.program(program), *options).stdout.splitlines()

    headings = {line for line in step.prints if not re.search(r"\d", line)}
    assert headings <= {*printed}
    assert len(step.prints) > len(headings) > 0


def test_the_page_of_workloads_has_every_program(openmpi: MpiLibrary) -> None:
    shown = {step.command.split()[3] for step in steps("workloads.md") if "ww-" in step.command}
    assert {path.name for path in openmpi.bin.glob("ww-*")} <= shown


SKELETON = ROOT / "examples" / "workload" / "main.cpp"
SKELETON_PAGE = (ROOT / "docs" / "workloads.md").read_text(encoding="utf-8")


@pytest.mark.in_turn
def test_the_skeleton_of_a_workload_measures_and_checks_itself(
    mpi: MpiLibrary, tmp_path: Path
) -> None:
    """Its table, samples and help follow from what it declares."""
    program = workload(mpi, SKELETON, tmp_path / "ww-jacobi")
    options = ["--points=1000", "--tries=2"]

    output, run = measured(program, mpi, tmp_path, *options, env={"OMP_NUM_THREADS": "2"})

    title, _, columns, *rows, last = run.stdout.splitlines()
    assert title.startswith("ww-jacobi ")
    assert SKELETON_PAGE.count(f"{columns}\n") == 2
    assert last == "verified"
    assert [row.split()[0] for row in rows if not row.startswith("NOTE")] == ["plain", "threads"]
    for sample in output:
        assert (sample["workload"], sample["ranks"], sample["threads"]) == ("jacobi", 2, 2)
        assert (sample["points"], sample["bytes"], sample["flops"]) == (2000, 24000, 4000)
        assert sample["verified"] is True
        assert sample["details"]["roofline"]["bytes_per_point"] == 12
        assert sample["details"]["roofline"]["fraction"] > 0
    assert [
        measurement["variant"] for measurement in samples(program, mpi, tmp_path, *options)
    ] == ["plain"]
    with_roofline = captured([program, "--help"]).stdout.partition("columns of the table:\n")[2]
    assert [line[2:14].strip() for line in with_roofline.splitlines()] == re.split(
        r"\s{2,}", columns
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("minife", "--nx=4 --operator=all"),
        (
            "mpibench",
            "--benchmark=bandwidth,ibcast,counter,dynamic --sizes=8 --iterations=6 --tasks=4",
        ),
        ("rupture", "--case=tpv33 --order=2 --spacing=3000 --growth=2 --reach=16000 --end=0.1"),
    ],
)
def test_help_explains_the_columns_of_all_tables(
    openmpi: MpiLibrary, name: str, words: str
) -> None:
    program = openmpi.program(f"ww-{name}")
    _, *tables = captured([program, "--help"]).stdout.split("\ncolumns of ")
    with_roofline = [
        re.split(r"\s{2,}", line)[1] for table in tables for line in table.splitlines()[1:]
    ]

    printed = " ".join(openmpi.run(2, program, *words.split()).stdout.splitlines())

    assert len(with_roofline) >= 11
    assert [heading for heading in with_roofline if f" {heading} " not in printed] == []


@pytest.mark.parametrize("name", cases(["spectral"], long=["lattice", "shallow"]))
def test_a_program_without_options_is_a_small_verified_run(openmpi: MpiLibrary, name: str) -> None:
    assert openmpi.run(1, openmpi.program(f"ww-{name}")).stdout.endswith("\nverified\n")


def test_a_wrong_sweep_of_the_skeleton_is_not_verified(openmpi: MpiLibrary, tmp_path: Path) -> None:
    text = SKELETON.read_text(encoding="utf-8")
    assert text.count("u[i - 1] + u[i + 1]") == 1
    source = tmp_path / "main.cpp"
    source.write_text(text.replace("u[i - 1] + u[i + 1]", "u[i - 1] + u[i]"), encoding="utf-8")
    program = workload(openmpi, source, tmp_path / "ww-jacobi")

    [sample], run = measured(program, openmpi, tmp_path, "--points=100", ranks=2, code=1)

    *_, row, last = run.stdout.splitlines()
    assert sample["verified"] is False
    assert last.startswith("NOT VERIFIED: sweep, plain: the error is ")
    assert f"{last}\n" in SKELETON_PAGE
    assert row.endswith("  WRONG")
