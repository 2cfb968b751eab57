"""`waywiser machine validate` on a terminal."""

from __future__ import annotations

from waywiser.model.validation import ValidationReport
from waywiser.report.answers.whatif import as_note, wrapped
from waywiser.units import counted, seconds_text


def validation_text(found: ValidationReport) -> str:
    names = max(len(one.program) for one in found.programs)
    nodes = max(one.nodes for one in found.programs)
    lines = [
        f"{counted(found.ranks, 'rank')} on {counted(nodes, 'node')}",
        f"{'':{names}}{'measured':>12}{'predicted':>12}{'error':>9}"
        f"{'MPI, all':>12}{'predicted':>12}{'error':>9}",
    ]
    for one in found.programs:
        times = f"{seconds_text(one.measured_seconds):>12}{seconds_text(one.predicted_seconds):>12}"
        mpi = f"{seconds_text(one.measured_mpi_seconds):>12}"
        mpi += f"{seconds_text(one.predicted_mpi_seconds):>12}"
        errors = f"{one.time_error_per_cent:+7.1f} %", f"{one.mpi_error_per_cent:+7.1f} %"
        lines.append(f"{one.program:{names}}{times}{errors[0]}{mpi}{errors[1]}")
    lines.append(
        f"Predictions of run times are wrong by {found.error_per_cent:.1f} % (root of the mean "
        "square): `waywiser whatif --on` this machine quotes this error."
    )
    for remark in found.remarks:
        lines += wrapped(f"Note: {as_note(remark)}")
    return "\n".join(lines)
