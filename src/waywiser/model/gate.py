"""The gate: the conditions that are checked before any statement on a run."""

from __future__ import annotations

from waywiser.model.base import Model


class Gate(Model):
    """The conditions for a run's metrics, advice and predictions, with those that failed.

    If `unreliable` is not empty, the ranks' times are not the program's alone: no change is called
    worth doing. If `unlike` is not empty, the replay does not describe the run: nothing is
    predicted from the replay.
    """

    unreliable: tuple[str, ...] = ()
    """Reasons why the ranks did not have their CPUs to themselves; each is a clause."""

    unlike: str = ""
    """Reason why the replay of the unchanged run does not describe the run; empty if it does, or if
    there was no replay."""

    remedies: tuple[str, ...] = ()
    """Remedies for the user, in the words of the run's launcher; each is a sentence."""

    @property
    def holds(self) -> bool:
        """True if all conditions are met."""
        return not self.unreliable and not self.unlike

    @property
    def predicts(self) -> bool:
        """True if predictions may be made."""
        return not self.unlike


OPEN = Gate()
"""Gate of a run that meets all conditions, or whose conditions are unknown."""
