"""The results of tuning, for the terminal."""

from __future__ import annotations

import shlex

from waywiser.model.reading import mpi_name
from waywiser.model.tuning import MOST_BYTES, TunedRange, Tuning
from waywiser.report.gate import gate_sentences
from waywiser.units import counted, size_text


def tuning_text(tuning: Tuning) -> str:
    """The gate, ranges with their verdicts, the written file, and its gain."""
    lines = [
        *gate_sentences(tuning.gate),
        f"{tuning.library} on {counted(tuning.ranks, 'rank')}: "
        f"{counted(tuning.compared, 'comparison')} of algorithms with the library's own choice",
    ]
    if tuning.refused:
        lines.append(f"{tuning.refused} have no verdict ({tuning.reason})")
    if tuning.failed:
        lines.append(f"No valid run of {', '.join(tuning.failed)}")
    if not tuning.ranges:
        lines.append("No algorithm is significantly faster than the library's own choice.")
        return "\n".join(lines)
    for tuned_range in tuning.ranges:
        lines.append(f"\n{range_text(tuned_range)}: {tuned_range.algorithm}")
        lines += [f"  {verdict}" for verdict in tuned_range.verdicts]
    lines.append(f"\nwrote {tuning.file}; `. {shlex.quote(tuning.file)}` sets")
    lines += [f"  {name}={value}" for name, value in tuning.environment.items()]
    lines.append(f"for [axes] of a study of your application: {tuning.axis}")
    if tuning.proof:
        lines.append("\nTuned against the library's own choice, in runs made after the choice")
        lines += [f"  {proof.sentence}" for proof in tuning.proof]
    return "\n".join(lines)


def range_text(tuned_range: TunedRange) -> str:
    name = mpi_name(tuned_range.collective)
    if tuned_range.last == 0 or (tuned_range.first == 0 and tuned_range.last >= MOST_BYTES):
        return name
    if tuned_range.last >= MOST_BYTES:
        return f"{name} from {size_text(tuned_range.first)} on"
    if tuned_range.first == tuned_range.last:
        return f"{name} of {size_text(tuned_range.first)}"
    return f"{name} from {size_text(tuned_range.first)} to {size_text(tuned_range.last)}"


def shell_text(tuning: Tuning) -> str:
    """The variables for a shell, with a comment on their purpose."""
    lines = [
        f"# Collectives of {tuning.library} on {counted(tuning.ranks, 'rank')}, chosen by waywiser "
        f"{tuning.waywiser}; the runs are in {tuning.directory}.",
        *(f"# {range_text(tuned_range)}: {tuned_range.algorithm}" for tuned_range in tuning.ranges),
        *(f"export {name}={shlex.quote(value)}" for name, value in tuning.environment.items()),
    ]
    return "\n".join(lines) + "\n"
