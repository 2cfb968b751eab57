"""The peak rate of a node of a study's machine."""

from __future__ import annotations

from pathlib import Path

from waywiser.analyse.scores import node_peak
from waywiser.errors import InvalidCommand
from waywiser.model.study import Study
from waywiser.study.paths import file_named


def with_peak(study: Study, directory: Path) -> Study:
    """The study with the peak of its machine's nodes; unchanged if it names no machine.

    Args:
        directory: directory of the study file, to which the machine file's path is relative.

    Raises:
        InvalidCommand: the machine is not found, or lacks a peak.
    """
    name = study.report.machine
    if not name:
        return study
    try:
        file = file_named(name, directory)
        peak = node_peak(str(file) if file.is_file() else name)
    except InvalidCommand as error:
        raise InvalidCommand(f"report.machine: {error}") from error
    report = study.report.replace(node_peak_GFLOPps=peak)
    return study.replace(report=report)
