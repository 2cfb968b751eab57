"""Work that takes long says on a terminal how far it is, and nothing elsewhere."""

import io
import re
import threading
import time
from types import SimpleNamespace

import pytest

from waywiser import progress
from waywiser.errors import InvalidCommand
from waywiser.progress import CLEAR, steps


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def shows(self, pattern: str) -> None:
        """Waits until it does."""
        end = time.monotonic() + 60
        while not re.search(pattern, self.getvalue()):
            assert time.monotonic() < end, f"{pattern} is not in {self.getvalue()!r}"
            time.sleep(0.001)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    shown = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=shown))
    monkeypatch.setattr(progress, "EVERY_SECONDS", 0.001)
    return shown


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.001)


@pytest.mark.usefixtures("impatient")
def test_steps_are_counted_and_the_line_is_cleared(terminal: Terminal) -> None:
    taken: list[str] = []
    for step in steps("replaying", "abcd", 4):
        terminal.shows(rf"waywiser: replaying: {len(taken)} of 4, 1 s")
        if taken:
            terminal.shows(rf"{len(taken)} of 4, 1 s, about 1 s left")
        taken.append(step)
    assert taken == list("abcd")
    assert terminal.getvalue().endswith(CLEAR)
    assert "4 of 4" not in terminal.getvalue()


@pytest.mark.usefixtures("impatient")
def test_the_innermost_work_is_shown(terminal: Terminal) -> None:
    with progress.progress("placing 4 ranks"):
        terminal.shows("waywiser: placing 4 ranks: 1 s")
        for _ in steps("drawing", "a", 1):
            terminal.shows("waywiser: drawing: 0 of 1, 1 s")
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
