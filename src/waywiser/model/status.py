"""The progress of a study: the document that `waywiser study status --json` prints."""

from __future__ import annotations

from waywiser.model.base import Model


class FailedRun(Model):
    run: str
    """Name of the run, CONFIGURATION/BLOCK, as in the study's directory."""

    reasons: tuple[str, ...]
    stderr: tuple[str, ...] = ()
    """The last lines of its standard error."""


class ConfigurationStatus(Model):
    configuration: str
    done: int
    """Number of runs that count."""

    failed: int
    under_way: int
    missing: int
    """Number of runs to do in the blocks that the study requires at least."""

    not_made: int = 0
    """Number of runs of those blocks that were not made, since the configuration's warm-up failed;
    `missing` excludes them."""

    unreliable: int
    """Number of the `done` runs that shared the machine with other work."""

    headline: str
    median: float | None
    """Median of the headline over the runs that count; None if no run counts."""

    unit: str


class JobStatus(Model):
    """A job of a batch system that is not over, or that ended with runs undone."""

    name: str
    id: str
    state: str
    runs: int
    undone: int


class StudyStatus(Model):
    title: str
    directory: str
    blocks: int
    warm_up: int
    """1 if there is a block that does not count."""

    runs: int
    """Number of runs that the study requires at least, warm-up included."""

    done: int
    failed: int
    under_way: int
    missing: int
    not_made: int = 0
    """Number of runs that were not made, since the warm-up of their configuration failed."""

    core_hours: float
    """Core-hours that the study's runs have taken."""

    seconds_left: float | None
    """Estimated time of the missing runs, one after the other; null if no estimate is possible."""

    configurations: tuple[ConfigurationStatus, ...]
    failures: tuple[FailedRun, ...]
    jobs: tuple[JobStatus, ...] = ()
    lost_attempts: int
    """Number of runs that were cut short, whether made again since or not."""
