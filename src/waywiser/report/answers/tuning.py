"""The results of tuning, for the terminal."""

from __future__ import annotations

import shlex

from waywiser.model.reading import mpi_name
from waywiser.model.tuning import MOST_BYTES, TunedRange, Tuning
from waywiser.report.gate import gate_sentences
from waywiser.units import counted, size_text


def tuning_text(found: Tuning) -> str:
    """The gate, ranges with their verdicts, the written file, and its gain."""
    lines = [
        *gate_sentences(found.gate),
        f"{found.library} on {counted(found.ranks, 'rank')}: "
        f"{counted(found.compared, 'comparison')} of algorithms with the library's own choice",
    ]
    if found.refused:
        lines.append(f"{found.refused} have no verdict ({found.reason})")
    if found.failed:
        lines.append(f"No valid run of {', '.join(found.failed)}")
    if not found.ranges:
        lines.append("No algorithm is significantly faster than the library's own choice.")
        return "\n".join(lines)
    for one in found.ranges:
        lines.append(f"\n{range_text(one)}: {one.algorithm}")
        lines += [f"  {verdict}" for verdict in one.verdicts]
    lines.append(f"\nwrote {found.file}; `. {shlex.quote(found.file)}` sets")
    lines += [f"  {name}={value}" for name, value in found.environment.items()]
    lines.append(f"for [axes] of a study of your application: {found.axis}")
    if found.proof:
        lines.append("\nTuned against the library's own choice, in runs made after the choice")
        lines += [f"  {one.sentence}" for one in found.proof]
    return "\n".join(lines)


def range_text(one: TunedRange) -> str:
    name = mpi_name(one.collective)
    if one.last == 0 or (one.first == 0 and one.last >= MOST_BYTES):
        return name
    if one.last >= MOST_BYTES:
        return f"{name} from {size_text(one.first)} on"
    if one.first == one.last:
        return f"{name} of {size_text(one.first)}"
    return f"{name} from {size_text(one.first)} to {size_text(one.last)}"


def shell_text(found: Tuning) -> str:
    """The variables for a shell, with a comment on their purpose."""
    lines = [
        f"# Collectives of {found.library} on {counted(found.ranks, 'rank')}, chosen by waywiser "
        f"{found.waywiser}; the runs are in {found.directory}.",
        *(f"# {range_text(one)}: {one.algorithm}" for one in found.ranges),
        *(f"export {name}={shlex.quote(value)}" for name, value in found.environment.items()),
    ]
    return "\n".join(lines) + "\n"
