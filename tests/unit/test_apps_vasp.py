"""VASP's OUTCAR: sections, remarks, refusals, and that it is never held as a whole."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from tests.unit.test_apps import of
from tests.unit.test_apps_golden import GOLDEN
from waywiser.apps.application import Output
from waywiser.apps.table import find
from waywiser.model.reading import Reading, Section

PLAIN = (GOLDEN / "vasp-5.4-synthetic" / "OUTCAR").read_text()
PROFILED = (GOLDEN / "vasp-6-profile-synthetic" / "OUTCAR").read_text()
SECOND_STEP = "      LOOP:  cpu time   12.2760: real time   12.4000"


def outcar(text: str, directory: Path) -> Reading:
    (directory / "OUTCAR").write_text(text)
    return find("vasp").read(Output("", "", directory))


def value(reading: Reading, name: str) -> float:
    figure = reading.figure(name)
    assert figure is not None, reading.failure
    return figure.value


def test_sections_are_the_flat_profile_or_the_sums_of_the_routines() -> None:
    profiled = {section.name: section for section in of("vasp-6-profile-synthetic").sections}
    plain = {section.name: section for section in of("vasp-5.4-synthetic").sections}

    assert profiled["fftwav_mpi"] == Section(name="fftwav_mpi", seconds=20.886962, calls=2605)
    assert len(profiled) == 8
    assert plain["FORNL"].seconds == pytest.approx(2 * 33.9493)
    assert plain["EDDAV"].calls == 7
    assert plain["EDDAV"].seconds == pytest.approx(0.6 * (20.5 + 12.4 + 12.6 + 12.2 + 39.2))
    assert not {"LOOP", "LOOP+"} & plain.keys()


def test_outputs_that_are_whole_have_no_remark_and_a_version() -> None:
    readings = [of("vasp-5.4-synthetic"), of("vasp-6-profile-synthetic")]

    assert [reading.remarks for reading in readings] == [(), ()]
    assert [reading.version for reading in readings] == ["5.4.1", "6.3.2"]


def test_a_time_that_overflowed_is_left_out_and_said(tmp_path: Path) -> None:
    overflowed = SECOND_STEP.replace("   12.4000", "**********")

    reading = outcar(PLAIN.replace(SECOND_STEP, overflowed), tmp_path)

    assert value(reading, "loop") == pytest.approx((12.3 + 12.6) / 2)
    assert value(reading, "electronic_steps") == 7
    assert reading.remarks == ("1 time was left out: the number overflowed its field.",)


def test_an_overflowed_time_moves_no_other_step_to_the_first_place(tmp_path: Path) -> None:
    first = "      LOOP:  cpu time   20.2950: real time   20.5000"

    reading = outcar(PLAIN.replace(first, first.replace("   20.5000", "**********")), tmp_path)

    assert value(reading, "loop") == 12.4


def test_numbers_that_run_into_words_are_read(tmp_path: Path) -> None:
    glued = "LOOP+:  cpu time12345.6789: real time12399.1234"
    text = PLAIN.replace("LOOP+:  cpu time   95.8423: real time   96.9481", glued)

    reading = outcar(text, tmp_path)

    assert value(reading, "loop_plus") == pytest.approx((12399.1234 + 74.9481) / 2)
    assert reading.remarks == ()


def test_two_numbers_that_ran_together_are_left_out_and_said(tmp_path: Path) -> None:
    glued = SECOND_STEP.replace("   12.4000", "112.40002.5000")

    reading = outcar(PLAIN.replace(SECOND_STEP, glued), tmp_path)

    assert value(reading, "loop") == pytest.approx((12.3 + 12.6) / 2)
    assert reading.remarks == (
        "1 time was left out: no number can be read, as where two run into each other.",
    )


def test_of_several_runs_the_last_is_read(tmp_path: Path) -> None:
    reading = outcar(PROFILED + PLAIN, tmp_path)

    assert reading.figures == of("vasp-5.4-synthetic").figures
    assert reading.remarks == ("OUTCAR holds 2 runs; the last is read.",)


def test_a_later_run_that_was_cut_off_does_not_pass_for_the_earlier_one(tmp_path: Path) -> None:
    reading = outcar(PROFILED + PLAIN[: PLAIN.index(" General timing")], tmp_path)

    assert "did not finish" in reading.failure


@pytest.mark.parametrize(
    "said",
    [
        "VERY BAD NEWS! internal error in subroutine IBZKPT:",
        "EDWAV: internal error, the gradient is not orthogonal",
        "ZBRENT: fatal error in bracketing",
    ],
)
def test_a_run_that_stopped_says_why(said: str, tmp_path: Path) -> None:
    reading = outcar(PLAIN.replace(" General timing", f" {said}\n General timing"), tmp_path)

    assert reading.failure == f"VASP failed; it says: {said}"


def test_a_run_that_did_not_converge_counts_where_the_study_says_so(tmp_path: Path) -> None:
    directory = GOLDEN / "vasp-not-converged-synthetic"
    reader = find("vasp-unconverged")

    reading = reader.read(Output("", "", directory))
    assert reading.failure == ""
    assert reading.remarks[0].startswith("The last electronic loop ended before EDIFF was reached")
    assert reader.read(Output("", "", GOLDEN / "vasp-5.4-synthetic")) == of("vasp-5.4-synthetic")
    (tmp_path / "OUTCAR").write_text(PLAIN[:2000])
    assert "did not finish" in reader.read(Output("", "", tmp_path)).failure


def test_a_run_without_an_end_says_what_standard_output_does(tmp_path: Path) -> None:
    (tmp_path / "OUTCAR").write_text(PLAIN[:2000])
    said = "VERY BAD NEWS! internal error in subroutine RHOSYG"

    failure = find("vasp").read(Output(f"running\n {said}\n", "", tmp_path)).failure

    assert failure.endswith(f"; it says: {said}")


def test_a_last_loop_without_a_word_on_its_end_did_not_converge(tmp_path: Path) -> None:
    """VASP 5.4 says nothing where it has used up its electronic steps."""
    before, word, after = PLAIN.rpartition("aborting loop because EDIFF is reached")

    assert "did not converge" in outcar(before + after, tmp_path).failure
    assert word


def test_an_earlier_loop_that_did_not_converge_is_remarked(tmp_path: Path) -> None:
    text = PLAIN.replace("aborting loop because EDIFF is reached", "", 1)

    reading = outcar(text, tmp_path)

    assert reading.remarks == ("1 ionic step ended before EDIFF was reached.",)


def test_a_profile_that_does_not_add_up_is_remarked(tmp_path: Path) -> None:
    tree, heading, flat = PROFILED.partition("Flat profile")

    reading = outcar(tree + heading + flat.replace(" 3.500000 ", " 3.600000 "), tmp_path)

    assert reading.remarks == ("The flat profile adds up to 63.111963 s, not 63.011963 s.",)


def test_steps_that_oszicar_counts_otherwise_are_remarked(tmp_path: Path) -> None:
    steps = (GOLDEN / "vasp-5.4-synthetic" / "OSZICAR").read_text()
    (tmp_path / "OSZICAR").write_text(steps.partition("\n")[2])

    assert outcar(PLAIN, tmp_path).remarks == (
        "OSZICAR has 6 electronic and 2 ionic steps, OUTCAR 7 and 2.",
    )


def test_an_elapsed_time_that_overflowed_is_a_failure(tmp_path: Path) -> None:
    text = PLAIN.replace("    174.359\n", "***********\n")

    assert "elapsed_time is '***********'" in outcar(text, tmp_path).failure


def test_an_outcar_is_not_held_as_a_whole(tmp_path: Path) -> None:
    """Eigenvalues and forces make it hundreds of times what is read of it."""
    numbers = f"{'   -12.3456789' * 6}\n" * 100_000
    begin, end = PLAIN.split("\n\n", 1)
    size = len(numbers)
    (tmp_path / "OUTCAR").write_text(f"{begin}\n{numbers}{end}")

    tracemalloc.start()
    try:
        reading = find("vasp").read(Output("", "", tmp_path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert reading.figures == of("vasp-5.4-synthetic").figures
    assert peak < size / 4
