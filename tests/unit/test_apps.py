"""Sections, tables and remarks of the readers; the table of applications and its page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.golden.cases import CASES, Case
from tests.support import ROOT
from tests.unit.test_apps_golden import GOLDEN, PASSING, output_of, read
from waywiser.apps.application import Output
from waywiser.apps.espresso import seconds
from waywiser.apps.table import APPLICATIONS, find
from waywiser.errors import InvalidCommand
from waywiser.model.reading import Reading, Section

PAGE = (ROOT / "docs" / "reference" / "applications.md").read_text(encoding="utf-8")


def of(directory: str) -> Reading:
    return read(next(case for case in CASES if case.directory == directory))


def text_of(directory: str) -> str:
    return output_of(GOLDEN / directory).stdout


def changed(application: str, text: str, directory: Path) -> Reading:
    return find(application).read(Output(text, "", directory))


def section(reading: Reading, name: str, parent: str | None = None) -> Section:
    (found,) = (s for s in reading.sections if (s.name, s.parent) == (name, parent))
    return found


def test_lammps_sections_have_the_spread_over_the_ranks() -> None:
    sections = of("lammps-rhodopsin").sections

    names = ["Pair", "Bond", "Kspace", "Neigh", "Comm", "Output", "Modify", "Other"]
    assert [section.name for section in sections] == names
    assert sections[2] == Section(name="Kspace", seconds=0.60585, minimum=0.48749, maximum=0.72422)
    assert sections[-1] == Section(name="Other", seconds=0.06222)
    assert sum(section.seconds for section in sections) == pytest.approx(4.95599, rel=1e-3)


@pytest.mark.parametrize("directory", ["lammps-two-runs", "lammps-2022-two-runs"])
def test_lammps_sections_are_those_of_the_last_run(directory: str) -> None:
    reading = of(directory)

    loop_time = reading.figure("loop_time")
    assert loop_time is not None
    assert sum(s.seconds for s in reading.sections) == pytest.approx(loop_time.value, rel=1e-3)
    assert "2 runs" in reading.remarks[0]


def test_lammps_without_full_use_of_its_cores_is_remarked(tmp_path: Path) -> None:
    text = text_of("lammps-two-runs")

    def remarks(use: str, threads: str) -> int:
        line = f"{use}% CPU use with 2 MPI tasks x {threads} OpenMP threads"
        reading = changed("lammps", re.sub(r"(?m)^.*% CPU use.*$", line, text), tmp_path)
        assert reading.failure == ""
        return sum("CPU use" in remark for remark in reading.remarks)

    assert [remarks(use, "1") for use in ("99.7", "90.0", "89.9")] == [0, 0, 1]
    assert [remarks(use, "4") for use in ("396.0", "350.1")] == [0, 1]
    assert remarks("98.5", "no") == 0


def test_lammps_is_read_from_its_log_where_the_screen_is_empty(tmp_path: Path) -> None:
    (tmp_path / "log.lammps").write_text(text_of("lammps-rhodopsin"))

    assert changed("lammps", "", tmp_path) == of("lammps-rhodopsin")


def test_a_last_run_of_no_steps_is_passed_over(tmp_path: Path) -> None:
    text = text_of("lammps-rhodopsin")
    empty = "Loop time of 1.2e-06 on 2 procs for 0 steps with 32000 atoms\n\nTotal wall time"

    reading = changed("lammps", text.replace("Total wall time", empty), tmp_path)

    assert reading.figures == of("lammps-rhodopsin").figures
    assert reading.sections == of("lammps-rhodopsin").sections


def test_nothing_of_a_run_of_no_steps_goes_to_the_one_before(tmp_path: Path) -> None:
    """Which was made with `timer off`, so that it has neither CPU use nor sections."""
    text = text_of("lammps-rhodopsin")
    loop = text.rindex("Loop time")
    without = f"{text[:loop]}Loop time of 7.5 on 2 procs for 10 steps with 32000 atoms\n\n"
    empty = re.sub("^Loop time.*", "Loop time of 1.2e-06 on 2 procs for 0 steps", text[loop:])

    reading = changed("lammps", without + empty, tmp_path)

    assert {each.name: each.value for each in reading.figures} == {
        "loop_time": 7.5,
        "wall_time": 19,
    }
    assert reading.sections == ()


def test_lammps_says_why_it_stopped(tmp_path: Path) -> None:
    text = text_of("lammps-rhodopsin").replace(
        "Total wall time", "ERROR: Lost atoms: original 32000 current 31990\nTotal"
    )

    reading = changed("lammps", text, tmp_path)

    assert "Total wall time" in reading.failure
    assert "ERROR: Lost atoms: original 32000 current 31990" in reading.failure


@pytest.mark.parametrize(("prefix", "scale"), [("", 1e-3), ("k", 1), ("M", 1e3), ("G", 1e6)])
def test_lammps_rates_have_one_unit(prefix: str, scale: float, tmp_path: Path) -> None:
    text = text_of("lammps-two-runs").replace("katom-step/s", f"{prefix}atom-step/s")

    rate = changed("lammps", text, tmp_path).figure("atom_step_rate")

    assert rate is not None
    assert rate.unit == "katom-step/s"
    assert rate.value == pytest.approx(665.087 * scale)


def test_the_clocks_of_quantum_espresso_are_a_tree() -> None:
    reading = of("espresso-silicon")

    assert section(reading, "electrons") == Section(name="electrons", seconds=12.25, calls=1)
    for name, parent, wall, calls in (
        ("wfcinit", "init_run", 0.86, 1),
        ("c_bands", "electrons", 9.12, 6),
        ("cegterg", "c_bands", 8.87, 12),
        ("cdiaghg", "cegterg", 0.60, 36),  # "Called by *egterg:"
        ("vloc_psi", "h_psi", 5.76, 40),
        ("fftw", "General routines", 6.70, 342),
        ("fft_scatt_yz", "Parallel routines", 7.20, 366),
    ):
        assert section(reading, name, parent) == Section(
            name=name, seconds=wall, parent=parent, calls=calls
        )
    assert len(reading.sections) == 23


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.05s", 0.05),
        ("   .05s", 0.05),
        ("1m23.45s", 83.45),
        ("1m 3.45s", 63.45),
        ("1h 2m", 3720),
        ("2d 1h 0m", 176400),
        ("********", None),
        ("", None),
    ],
)
def test_durations_of_quantum_espresso(text: str, expected: float | None) -> None:
    assert seconds(text) == (None if expected is None else pytest.approx(expected))


def test_whole_minutes_are_remarked() -> None:
    assert "whole minutes" in of("espresso-hours-synthetic").remarks[0]
    assert of("espresso-minutes-synthetic").remarks == ()


def test_gromacs_sections_and_the_breakdown_of_pme() -> None:
    reading = of("gromacs")

    assert section(reading, "PME mesh") == Section(name="PME mesh", seconds=24.453, calls=101)
    top = sum(section.seconds for section in reading.sections if section.parent is None)
    assert top == pytest.approx(38.833, abs=0.1)
    parts = [section for section in reading.sections if section.parent == "PME mesh"]
    assert len(parts) == 6
    assert sum(part.seconds for part in parts) == pytest.approx(24.453, abs=0.01)


def test_minife_phases_have_a_spread_and_a_parent() -> None:
    for directory, mean in (("minife", 0.407017), ("minife-samples", 0.40701665600000003)):
        exchange = section(of(directory), "exchange", "matvec")
        assert exchange.seconds == mean
        assert exchange.minimum == pytest.approx(0.392452, abs=1e-6)
        assert exchange.maximum == pytest.approx(0.421581, abs=1e-6)


def test_minife_that_did_not_verify_has_failed(tmp_path: Path) -> None:
    text = text_of("minife").replace("\nverified", "\nNOT VERIFIED: the centre is 0.3")

    assert "NOT VERIFIED: the centre is 0.3" in changed("minife", text, tmp_path).failure


def test_minife_samples_that_end_early_are_a_failure(tmp_path: Path) -> None:
    lines = (GOLDEN / "minife-samples" / "minife.json").read_text().splitlines()
    (tmp_path / "minife.json").write_text("\n".join(lines[:-1]) + "\n")

    assert "minife.json has no update" in changed("minife", text_of("minife"), tmp_path).failure


def test_a_number_of_too_many_digits_is_a_failure(tmp_path: Path) -> None:
    text = text_of("lammps-two-runs").replace("for 200 steps", f"for {'9' * 5000} steps")

    assert "LAMMPS: its output is damaged" in changed("lammps", text, tmp_path).failure


def test_imb_columns_are_series_against_the_size() -> None:
    reading = of("imb-mpi1")

    (bandwidth,) = (s for s in reading.series if s.name == "Exchange: bandwidth")
    assert (bandwidth.unit, bandwidth.better, bandwidth.ranks) == ("MB/s", "higher", 2)
    assert bandwidth.x == (0, 1, 2, 4, 8, 16)
    assert bandwidth.y == (0.0, 2.91, 5.85, 11.72, 22.49, 45.91)
    times = {s.name: s.y[-1] for s in reading.series if s.name.startswith("Allreduce")}
    assert times == {"Allreduce: t_min": 0.68, "Allreduce: t_max": 0.91, "Allreduce: t_avg": 0.80}


def test_imb_figures_are_those_of_the_most_ranks(tmp_path: Path) -> None:
    text = text_of("imb-mpi1")
    begin, end = text.index("# Benchmarking PingPong"), text.index("# Benchmarking Allreduce")
    more = text[begin:end].replace("= 2", "= 4").replace("96.93", "55.55")

    reading = changed("imb", text[:begin] + more + text[begin:], tmp_path)

    assert reading.failure == ""
    headline = reading.figure("small_message")
    assert headline is not None
    assert headline.value == 55.55
    ranks = [s.ranks for s in reading.series if s.name == "PingPong: t"]
    assert ranks == [4, 2]


def test_osu_columns_are_series() -> None:
    names = {s.name: (s.unit, s.better) for s in of("osu-allreduce-full").series}
    overlap = {s.name: (s.unit, s.better) for s in of("osu-iallreduce").series}

    assert names == {
        "Allreduce Latency: Avg Latency": ("us", "lower"),
        "Allreduce Latency: Min Latency": ("us", "lower"),
        "Allreduce Latency: Max Latency": ("us", "lower"),
        "Allreduce Latency: Iterations": ("", "neither"),
    }
    assert overlap["Non-blocking Allreduce Latency: Overlap"] == ("%", "higher")
    (rate,) = (s for s in of("osu-mbw-mr").series if s.unit == "messages/s")
    assert rate.y[0] == 2353711.33


def test_a_validation_that_fails_is_a_failure(tmp_path: Path) -> None:
    text = text_of("osu-allreduce-validated").replace("Pass", "Fail", 1)

    assert "did not pass its validation" in changed("osu", text, tmp_path).failure


def test_a_later_hpcc_run_that_died_does_not_pass_for_the_earlier_one(tmp_path: Path) -> None:
    """hpcc appends to hpccoutf.txt."""
    earlier = (GOLDEN / "hpcc" / "hpccoutf.txt").read_text()
    (tmp_path / "hpccoutf.txt").write_text(earlier + earlier[:1000])

    assert "End of Summary section" in changed("hpcc", "", tmp_path).failure


def test_an_hpcc_test_that_failed_is_a_failure(tmp_path: Path) -> None:
    text = (GOLDEN / "hpcc" / "hpccoutf.txt").read_text()
    (tmp_path / "hpccoutf.txt").write_text(text.replace("\nSuccess=1\n", "\nSuccess=0\n"))

    assert "Success=1" in changed("hpcc", "", tmp_path).failure


def test_an_hpl_residual_that_failed_is_a_failure(tmp_path: Path) -> None:
    text = text_of("hpl")
    text = text.replace("1 tests completed and passed", "0 tests completed and passed")
    text = text.replace("0 tests completed and failed", "1 tests completed and failed")

    assert "1 of 1 tests failed" in changed("hpl", text, tmp_path).failure


def test_hpcg_names_its_kernels_and_short_runs() -> None:
    reading = of("hpcg")

    assert [section.name for section in reading.sections] == [
        *("DDOT", "WAXPBY", "SpMV", "MG", "MPI_Allreduce"),
    ]
    assert section(reading, "MG").seconds == 1.22765
    assert "1800 s" in reading.remarks[0]


@pytest.mark.parametrize("name", APPLICATIONS)
def test_nothing_at_all_is_a_failure_that_says_what_was_looked_for(
    name: str, tmp_path: Path
) -> None:
    failure = changed(name, "", tmp_path).failure

    assert re.search(r"'.+'|hpccoutf\.txt|loop_time", failure)


def test_an_unknown_application_lists_those_there_are() -> None:
    with pytest.raises(InvalidCommand, match=r"no application cp2k.*lammps, quantum-espresso"):
        find("cp2k")


def test_the_page_lists_every_application() -> None:
    for application in APPLICATIONS.values():
        row = (
            f"| `{application.name}` | {application.title} | `{application.headline}` | "
            f"{application.documents} | {application.success} |"
        )
        assert row in PAGE, f"docs/reference/applications.md lacks this row:\n{row}"


@pytest.mark.parametrize("case", PASSING, ids=lambda case: case.directory)
def test_the_page_names_every_figure(case: Case) -> None:
    title = APPLICATIONS[case.application].title
    part = next(part for part in PAGE.split("\n### ")[1:] if title in part.partition("\n")[0])
    named_by_size = case.application in ("imb", "osu", "mpibench", "comm")

    for name, (_, unit, _) in case.figures.items():
        if not named_by_size:
            assert f"`{name}`" in part
        assert unit in part
