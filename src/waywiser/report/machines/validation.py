"""`waywiser machine validate` on a terminal."""

from __future__ import annotations

from waywiser.model.validation import ValidationReport
from waywiser.report.answers.whatif import as_note, wrapped
from waywiser.units import counted, seconds_text


def validation_text(report: ValidationReport) -> str:
    names = max(len(program.program) for program in report.programs)
    nodes = max(program.nodes for program in report.programs)
    lines = [
        f"{counted(report.ranks, 'rank')} on {counted(nodes, 'node')}",
        f"{'':{names}}{'measured':>12}{'predicted':>12}{'error':>9}"
        f"{'MPI, all':>12}{'predicted':>12}{'error':>9}",
    ]
    for program in report.programs:
        times = (
            f"{seconds_text(program.measured_seconds):>12}"
            f"{seconds_text(program.predicted_seconds):>12}"
        )
        mpi = f"{seconds_text(program.measured_mpi_seconds):>12}"
        mpi += f"{seconds_text(program.predicted_mpi_seconds):>12}"
        errors = f"{program.time_error_per_cent:+7.1f} %", f"{program.mpi_error_per_cent:+7.1f} %"
        lines.append(f"{program.program:{names}}{times}{errors[0]}{mpi}{errors[1]}")
    lines.append(
        f"Predictions of run times are wrong by {report.error_per_cent:.1f} % (root of the mean "
        "square): `waywiser whatif --on` this machine quotes this error."
    )
    for remark in report.remarks:
        lines += wrapped(f"Note: {as_note(remark)}")
    return "\n".join(lines)
