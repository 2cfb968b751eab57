"""Work that takes long says on a terminal how far it is, and nothing elsewhere."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.synthetic_jobs import CALLS, write_ring
from tests.synthetic_meshes import small_mesh
from tests.terminal import Terminal
from waywiser import progress
from waywiser.cli import mesh as verb
from waywiser.errors import InvalidCommand
from waywiser.meshes import parts
from waywiser.meshes.cases import CASES
from waywiser.meshes.check import checked
from waywiser.native import _native as native
from waywiser.progress import CLEAR, Counted, steps


@pytest.mark.usefixtures("impatient")
def test_steps_are_counted_and_the_line_is_cleared(terminal: Terminal) -> None:
    taken: list[str] = []
    for step in steps("replaying", "abcd", 4):
        terminal.shows(rf"waywiser: replaying: {len(taken)} of 4, \d+ s")
        if taken:
            terminal.shows(rf"{len(taken)} of 4, \d+ s, about \d+ s left")
        taken.append(step)
    assert taken == list("abcd")
    assert terminal.getvalue().endswith(CLEAR)


@pytest.mark.usefixtures("impatient")
def test_the_innermost_work_is_shown(terminal: Terminal) -> None:
    with progress.progress("placing 4 ranks"):
        terminal.shows(r"waywiser: placing 4 ranks: \d+ s")
        for _ in steps("drawing", "a", 1):
            terminal.shows(r"waywiser: drawing: 0 of 1, \d+ s")
        before = terminal.getvalue().count("placing")
        terminal.shows(rf"(?s)(?:placing.*){{{before + 1}}}")


@pytest.mark.usefixtures("impatient")
def test_a_failure_clears_the_line(terminal: Terminal) -> None:
    before = threading.active_count()

    def failing() -> None:
        with progress.progress("placing"):
            terminal.shows("placing")
            raise InvalidCommand("no")

    with pytest.raises(InvalidCommand, match="no"):
        failing()
    assert terminal.getvalue().endswith(CLEAR)
    assert threading.active_count() == before


def test_short_work_shows_nothing(terminal: Terminal) -> None:
    assert list(steps("drawing", "abc", 3)) == list("abc")
    assert terminal.getvalue() == ""


@pytest.mark.usefixtures("impatient")
def test_nothing_is_shown_elsewhere_than_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    before = threading.active_count()
    for _ in steps("drawing", "abc", 3):
        assert threading.active_count() == before
    assert capsys.readouterr() == ("", "")


@pytest.mark.usefixtures("impatient")
def test_steps_that_another_thread_counts_are_shown(terminal: Terminal) -> None:
    so_far = Counted(total=20_000)
    with progress.progress("analysing the trace", so_far):
        terminal.shows("analysing the trace: 0 of 20,000, 1 s")
        so_far.done = 10_000
        terminal.shows("10,000 of 20,000, 1 s, about 1 s left")


def test_the_analysis_of_a_trace_counts_its_calls(tmp_path: Path) -> None:
    so_far = native.Progress()
    trace = write_ring(tmp_path / "trace.ww", ranks=4, iterations=50)

    native.analyse_waits(str(trace), progress=so_far)

    assert so_far.done == so_far.total == 4 * (CALLS * 50 + 2)


@pytest.mark.parametrize("form", ["csv", "goal", "paraver", "perfetto", "simgrid-ti"])
def test_the_export_of_a_trace_counts_its_calls(tmp_path: Path, form: str) -> None:
    so_far = native.Progress()
    trace = write_ring(tmp_path / "trace.ww", ranks=4, iterations=50)

    native.export_trace(str(trace), form, str(tmp_path / "job.prv"), progress=so_far)

    assert so_far.done == so_far.total == 4 * (CALLS * 50 + 2)


def test_a_placement_counts_the_methods_that_it_tries() -> None:
    so_far = native.Progress()
    ranks = np.arange(8, dtype=np.uint32)
    bytes_ = np.full(8, 1000, dtype=np.uint64)
    pattern = native.Pattern(8, ranks, (ranks + 4) % 8, bytes_, np.ones_like(bytes_))
    slots = native.Slots(native.make_topology("torus", {"lengths": [4]}), ranks // 2, ranks % 2)

    native.place(pattern, slots, progress=so_far)

    assert so_far.done == so_far.total > 2


@pytest.mark.usefixtures("impatient")
def test_meshing_is_shown(monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> None:
    def shown(*_: object) -> None:
        terminal.shows(r"waywiser: meshing tpv33 at scale 2: \d+ s")

    monkeypatch.setattr(verb, "make_mesh", shown)
    verb._meshed(CASES["tpv33"], 2.0)


@pytest.mark.usefixtures("impatient")
def test_written_parts_of_a_mesh_are_counted(
    monkeypatch: pytest.MonkeyPatch, terminal: Terminal, tmp_path: Path
) -> None:
    extract = parts.part_of

    def shown(*of: Any) -> parts.Part:
        if of[-1] == 1:
            terminal.shows(r"waywiser: writing parts: 1 of 2, \d+ s, about \d+ s left")
        return extract(*of)

    monkeypatch.setattr(parts, "part_of", shown)
    mesh = small_mesh(2)
    cells = np.arange(len(mesh.cells))
    parts.write_parts(tmp_path / "m", mesh, checked(mesh), np.zeros_like(cells), cells % 2)
