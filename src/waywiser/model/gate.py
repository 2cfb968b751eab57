"""Whether what is said of a run holds: the conditions that are checked before any verdict."""

from __future__ import annotations

from waywiser.model.base import Model


class Gate(Model):
    """The conditions of a run's metrics, its advice and its predictions, and what failed.

    Where `contended` is not empty, the ranks' times are not the program's alone: nothing is called
    worth doing. Where `unlike` is not empty either, the replay does not describe the run: nothing
    is predicted from it.
    """

    contended: tuple[str, ...] = ()
    """Why the ranks did not have their CPUs to themselves; a clause each."""

    unlike: str = ""
    """Why the replay of the unchanged run does not describe it; empty where it does, and where no
    replay was made."""

    remedies: tuple[str, ...] = ()
    """What the user can do, in the words of the run's launcher; a sentence each."""

    @property
    def holds(self) -> bool:
        """Whether verdicts may be given."""
        return not self.contended and not self.unlike

    @property
    def predicts(self) -> bool:
        """Whether predictions may be made."""
        return not self.unlike


OPEN = Gate()
"""Gate of a run that meets all conditions, or whose conditions are unknown."""
