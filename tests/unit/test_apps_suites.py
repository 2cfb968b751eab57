"""Remarks, sections and refusals of the readers of NPB, ww-tbl, ww-lattice, ww-shallow,
ww-spectral, Graph500, IO500 and HPCG's YAML."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.test_apps import changed, of, section, text_of
from tests.unit.test_apps_golden import GOLDEN
from waywiser.apps.application import Output
from waywiser.apps.table import find
from waywiser.model.reading import Reading, Section


def value(reading: Reading, name: str) -> float:
    figure = reading.figure(name)
    assert figure is not None, reading.failure
    return figure.value


def test_npb_names_benchmark_class_and_size() -> None:
    assert of("nas-sp").remarks[0] == "The benchmark is SP, class S, size 12 x 12 x 12."
    assert of("nas-is").remarks[0] == "The benchmark is IS, class S, size 65536."


def test_npb_timers_are_sections_that_hold_no_other_one() -> None:
    sections = of("nas-sp").sections

    assert [each.name for each in sections] == [
        *("rhs", "xsolve", "ysolve", "zsolve", "bpack", "exch", "xcomm", "ycomm", "zcomm"),
    ]
    assert of("nas-is").sections == ()


def test_ww_tbl_has_the_four_sections_of_its_time() -> None:
    reading = of("tbl")

    assert [each.name for each in reading.sections] == [
        *("velocity solver", "pressure solver", "update", "others"),
    ]
    assert section(reading, "velocity solver").seconds == 0.0012433440000000002
    assert of("npb").sections == ()


def test_ww_lattice_has_the_five_sections_of_each_variants_time() -> None:
    sections = of("lattice").sections

    names = ["hops", "packing", "waiting", "fields", "sums"]
    assert [each.name for each in sections] == 3 * names
    assert sections[2].seconds == 14.053827293999982


def test_ww_shallow_has_three_sections() -> None:
    sections = of("shallow").sections

    assert [each.name for each in sections] == ["tendencies", "packing", "waiting"]


def test_ww_spectral_has_the_five_sections_of_each_phases_time() -> None:
    sections = of("spectral").sections

    names = ["legendre", "fourier", "packing", "exchange", "points"]
    assert [each.name for each in sections] == 4 * names
    assert sections[3].seconds == 0.00041453099999999994


@pytest.mark.parametrize("said", ["UNSUCCESSFUL", "NOT PERFORMED"])
def test_npb_that_did_not_verify_has_failed(said: str, tmp_path: Path) -> None:
    text = re.sub(r"(?m)^( Verification +=).*$", rf"\1 {said}", text_of("nas-sp"))

    assert f"'Verification' is {said}" in changed("nas", text, tmp_path).failure


def test_npb_processes_that_did_not_compute_are_remarked(tmp_path: Path) -> None:
    active = re.sub(r"(?m)^( Active processes=).*$", r"\1            1", text_of("nas-sp"))

    assert changed("nas", active, tmp_path).remarks[1:] == (
        "Only 1 of 4 processes computed; the rate per process is that of all.",
    )


def test_a_later_npb_run_that_was_cut_off_does_not_pass_for_the_earlier_one(
    tmp_path: Path,
) -> None:
    first, second = text_of("nas-is"), text_of("nas-sp")

    both = changed("nas", first + second, tmp_path)
    cut = changed("nas", first + second[: second.index(" SP Benchmark Completed")], tmp_path)

    assert both.figures == of("nas-sp").figures
    assert both.remarks[1:] == ("NPB made 2 runs; the figures are those of the last.",)
    assert "did not finish" in cut.failure


def test_an_npb_rate_that_overflowed_is_a_failure(tmp_path: Path) -> None:
    text = re.sub(r"(?m)^( Mop/s total +=).*$", r"\1 ************", text_of("nas-sp"))

    assert "performance is '************'" in changed("nas", text, tmp_path).failure


def test_io500_marks_a_run_that_its_rules_do_not_let_count() -> None:
    assert any("INVALID" in remark for remark in of("io500").remarks)
    assert not any("INVALID" in remark for remark in of("io500-script-synthetic").remarks)


def test_io500_phases_are_sections_and_what_is_not_scored_is_none() -> None:
    reading = of("io500-script-synthetic")

    assert len(reading.sections) == 12
    assert section(reading, "find") == Section(name="find", seconds=151.17)
    assert "rnd4k" not in str(of("io500")).lower()


@pytest.mark.parametrize(
    ("printed", "instead", "what"),
    [
        ("TOTAL 282.450", "TOTAL 282.550", "the total is 282.550"),
        ("Bandwidth 68.5694", "Bandwidth 78.5694", "bandwidth is 78.5694"),
        ("9214.060", "8214.060", "IOPS is 1163.464"),
    ],
)
def test_an_io500_score_that_is_not_that_of_its_phases_is_remarked(
    printed: str, instead: str, what: str, tmp_path: Path
) -> None:
    text = text_of("io500-script-synthetic")
    assert printed in text

    remarks = changed("io500", text.replace(printed, instead), tmp_path).remarks

    assert any(f"not that of its phases: {what}" in remark for remark in remarks)
    assert not any("its phases" in remark for remark in of("io500-script-synthetic").remarks)


def test_an_io500_phase_of_nothing_is_a_failure_with_its_name(tmp_path: Path) -> None:
    text = re.sub(r"(find +)\d+\.\d+", r"\g<1>0.000", text_of("io500-script-synthetic"))
    unscored = re.sub(r"TOTAL .*", "TOTAL 0.000", text_of("io500-script-synthetic"))
    without = re.sub(r"(?m)^.* ior_hard_read .*\n", "", unscored)

    assert "the result of find is 0" in changed("io500", text, tmp_path).failure
    assert "the result of ior-hard-read is 0" in changed("io500", without, tmp_path).failure


def test_a_phase_that_io500_did_not_print_is_remarked(tmp_path: Path) -> None:
    text = re.sub(r"(?m)^.* ior_hard_read .*\n", "", text_of("io500-script-synthetic"))

    assert "The output has no result of ior-hard-read." in changed("io500", text, tmp_path).remarks


def test_a_later_io500_run_without_score_does_not_pass_for_the_earlier_one(tmp_path: Path) -> None:
    text = text_of("io500-script-synthetic")

    twice = changed("io500", text + text, tmp_path)
    cut = changed("io500", text + text[: text.index("[SCORE]")], tmp_path)

    assert twice.figures == of("io500-script-synthetic").figures
    assert any("2 scores" in remark for remark in twice.remarks)
    assert "did not finish" in cut.failure


def test_the_extended_score_of_io500_is_not_its_score(tmp_path: Path) -> None:
    text = text_of("io500-script-synthetic")
    extended = "[SCOREX] Bandwidth 1.0 GB/s : IOPS 4.0 kiops : TOTAL 2.0 [INVALID]\n"

    reading = changed("io500", text + extended, tmp_path)

    assert (reading.figures, reading.remarks) == (
        of("io500-script-synthetic").figures,
        of("io500-script-synthetic").remarks,
    )


def test_io500_is_read_from_its_latest_dated_directory(tmp_path: Path) -> None:
    text = text_of("io500-script-synthetic")
    for date, total in (("2020.06.01-10.00.00", "282.450"), ("2019.11.01-10.00.00", "1.0")):
        directory = tmp_path / "results" / date
        directory.mkdir(parents=True)
        (directory / "result_summary.txt").write_text(re.sub("TOTAL .*", f"TOTAL {total}", text))

    assert value(changed("io500", "", tmp_path), "score") == 282.45


def test_graph500_whose_roots_were_not_validated_is_remarked(tmp_path: Path) -> None:
    text = re.sub(r"(?m)^(bfs  min_validate: +).*", r"\1-1", text_of("graph500-synthetic"))

    assert changed("graph500", text, tmp_path).remarks == (
        "BFS was run without validation, which an official result has.",
    )
    assert of("graph500-synthetic").remarks == ()


def test_graph500_of_few_roots_or_an_impossible_mean_is_remarked(tmp_path: Path) -> None:
    text = text_of("graph500-synthetic").replace("64\n", "16\n", 1)
    text = re.sub(r"(?m)^(sssp max_TEPS: +).*", r"\g<1>3.3e+11", text)

    assert changed("graph500", text, tmp_path).remarks == (
        "The harmonic mean of SSSP does not lie between its minimum and maximum.",
        "There were 16 roots; an official result has 64.",
    )


@pytest.mark.parametrize(
    "said",
    [
        "Validation failed for this BFS root; skipping rest.",
        "No results printed for invalid run.",
        "Error: out of memory",
    ],
)
def test_graph500_that_failed_says_why(said: str, tmp_path: Path) -> None:
    output = Output(text_of("graph500-synthetic"), f"{said}\n", tmp_path)

    assert find("graph500").read(output).failure == f"Graph500 failed; it says: {said}"


def test_graph500_of_sssp_alone_has_that_headline(tmp_path: Path) -> None:
    text = re.sub(r"(?m)^bfs .*\n", "", text_of("graph500-synthetic"))

    reading = changed("graph500", text, tmp_path)

    assert reading.failure == ""
    assert reading.figure("bfs") is None
    assert find("graph500").headline_in(reading) == "sssp"
    assert value(reading, "sssp") == 337
    assert find("graph500").headline_in(of("graph500-synthetic")) == "bfs"


def test_graph500_before_its_third_version_names_no_kernel(tmp_path: Path) -> None:
    """Tabs, a unit beside the number, and standard error."""
    text = (
        "SCALE:\t\t26\nNBFS:\t\t64\nmedian_TEPS:\t6.2e+07TEPS\n"
        "harmonic_mean_TEPS:\t!\t6.09e+07TEPS\n"
    )

    reading = find("graph500").read(Output("", text, tmp_path))

    assert value(reading, "bfs") == pytest.approx(0.0609)
    assert value(reading, "bfs_median") == pytest.approx(0.062)
    assert value(reading, "scale") == 26


def yaml(text: str, directory: Path) -> Reading:
    (directory / "HPCG-Benchmark-3.0_2016.04.03.13.33.06.yaml").write_text(text)
    return find("hpcg").read(Output("", "", directory))


def hpcg_yaml() -> str:
    (report,) = (GOLDEN / "hpcg-yaml").iterdir()
    return report.read_text()


def test_hpcg_yaml_has_the_rating_and_not_the_historical_one(tmp_path: Path) -> None:
    reading = of("hpcg-yaml")
    text = hpcg_yaml()

    assert "HPCG 2.4 Rating (for historical value)" in text
    rating = re.search(r"VALID with a GFLOP/s rating of: (\S+)", text)
    assert rating
    assert value(reading, "performance") == float(rating[1])
    assert value(yaml(text, tmp_path), "performance") == float(rating[1])


def test_hpcg_yaml_has_the_kernels_and_the_spread_of_the_allreduce() -> None:
    reading = of("hpcg-yaml")

    assert [each.name for each in reading.sections][:4] == ["DDOT", "WAXPBY", "SpMV", "MG"]
    allreduce = section(reading, "MPI_Allreduce", "DDOT")
    assert allreduce.minimum is not None
    assert allreduce.maximum is not None
    assert allreduce.minimum <= allreduce.seconds <= allreduce.maximum
    assert any("1800 s" in remark for remark in reading.remarks)


def test_hpcg_yaml_that_is_invalid_has_failed(tmp_path: Path) -> None:
    text = hpcg_yaml().replace("HPCG result is VALID", "HPCG result is INVALID")

    assert yaml(text, tmp_path).failure == "HPCG: the result is INVALID"


def test_hpcg_whose_operations_do_not_go_with_its_bytes_is_remarked(tmp_path: Path) -> None:
    text = re.sub(r"(Raw Total B/W: )\S+", r"\g<1>1e-9", hpcg_yaml())

    assert any("operations per byte" in remark for remark in yaml(text, tmp_path).remarks)
    assert not any("operations per byte" in remark for remark in of("hpcg-yaml").remarks)
