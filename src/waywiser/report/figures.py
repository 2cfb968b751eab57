"""The figures of the report, in the order of the page but for topics, which follow their share of
the time. A new one is a module and a line here."""

from collections.abc import Iterator, Sequence

from waywiser.model.rupture_field import RuptureField
from waywiser.model.summary import Summary
from waywiser.model.timeline import Timeline
from waywiser.model.wave_field import WaveField
from waywiser.model.whatif import WhatIf
from waywiser.report.advice_figures import OPPORTUNITIES
from waywiser.report.figure import Drawn, Figure, drawn
from waywiser.report.overview import by_time
from waywiser.report.plots import (
    call_sites,
    communicators,
    counters,
    extremes,
    functions,
    matrix,
    openmp,
    phases,
    posix_io,
    ranks,
    sizes,
    sync,
    threads,
    wait_causes,
)
from waywiser.report.roofline import drawn_roofline
from waywiser.report.rupture_field import drawn_rupture_field
from waywiser.report.timeline import drawn_timeline
from waywiser.report.wave_field import drawn_wave_field
from waywiser.report.whatif_figures import drawn_answers

FIGURES: tuple[Figure[Summary], ...] = (
    Figure("ranks", "Time by rank", ranks.caption, ranks.chart, ranks.table, ranks.absent),
    Figure(
        "phases", "Time by phase", phases.caption, phases.chart, phases.table, phases.absent,
        concerns=phases.concern,
    ),
    Figure(
        "functions", "Time and calls by function", functions.caption, functions.chart,
        functions.table, functions.absent, topic="mpi",
    ),
    Figure(
        "call-sites", "Call sites", call_sites.caption, None, call_sites.table, call_sites.absent,
        concerns=call_sites.concern, topic="mpi",
    ),
    Figure(
        "sync", "Synchronisation and transfer", sync.caption, sync.chart, sync.table, sync.absent,
        concerns=sync.concern, topic="mpi",
    ),
    Figure(
        "waits", "Who waits, and for whom", sync.waits_caption, sync.waits_chart, sync.waits_table,
        sync.nobody_waits, concerns=sync.waits_concern, topic="mpi",
    ),
    Figure(
        "wait-ranks", "What ranks waited for", wait_causes.ranks_caption, wait_causes.ranks_chart,
        wait_causes.ranks_table, wait_causes.absent, concerns=wait_causes.concern, topic="mpi",
    ),
    Figure(
        "wait-causes", "Who caused the waiting", wait_causes.causes_caption, None,
        wait_causes.causes_table, wait_causes.absent, remarks=wait_causes.causes_remarks,
        concerns=wait_causes.concern, topic="mpi",
    ),
    Figure(
        "critical-path", "Critical path", wait_causes.path_caption, wait_causes.path_chart,
        wait_causes.path_table, wait_causes.path_absent, concerns=wait_causes.concern, topic="mpi",
    ),
    Figure(
        "communicators", "Collectives by communicator", communicators.caption, communicators.chart,
        communicators.table, communicators.absent, concerns=communicators.concern, topic="mpi",
    ),
    Figure(
        "sizes", "Message sizes by function", sizes.caption, sizes.chart, sizes.table, sizes.absent,
        topic="mpi",
    ),
    Figure(
        "matrix-bytes", "Communication matrix (bytes)", matrix.bytes_caption, matrix.bytes_chart,
        matrix.table, matrix.bytes_absent, zooms=True, explored=matrix.bytes_explored,
        fewest_ranks=matrix.FEWEST_RANKS, topic="mpi",
    ),
    Figure(
        "matrix-messages", "Communication matrix (messages)", matrix.messages_caption,
        matrix.messages_chart, matrix.table, matrix.messages_absent, zooms=True,
        explored=matrix.messages_explored, fewest_ranks=matrix.FEWEST_RANKS, concerns=matrix.drawn,
        topic="mpi",
    ),
    Figure(
        "matrix-collectives", "Communication matrix of collectives (bytes)",
        matrix.collectives_caption, matrix.collectives_chart, matrix.collectives_table,
        matrix.collectives_absent, zooms=True, explored=matrix.collectives_explored, remarks=lambda
        summary: summary.collective_remarks, concerns=matrix.collectives_concern,
        fewest_ranks=matrix.FEWEST_RANKS, topic="mpi",
    ),
    Figure(
        "matrix-waits", "Who waits for whom", wait_causes.matrix_caption, wait_causes.matrix_chart,
        wait_causes.matrix_table, wait_causes.absent, zooms=True, concerns=wait_causes.several,
        fewest_ranks=matrix.FEWEST_RANKS, topic="mpi",
    ),
    Figure(
        "extremes", "Slowest and fastest rank", extremes.caption, extremes.chart, extremes.table,
        extremes.absent, topic="rest",
    ),
    Figure(
        "threads", "Threads that call MPI", threads.caption, None, threads.table, threads.absent,
        concerns=threads.concern, topic="mpi",
    ),
    Figure(
        "openmp", "OpenMP", openmp.caption, openmp.chart, openmp.table, openmp.absent,
        concerns=openmp.concern, topic="openmp",
    ),
    Figure(
        "posix-io", "Files", posix_io.caption, None, posix_io.table, posix_io.absent,
        concerns=posix_io.concern, topic="files",
    ),
    Figure(
        "counters", "Instructions and frequency", counters.caption, counters.chart, counters.table,
        counters.absent, concerns=counters.concern, topic="rest",
    ),
)  # fmt: skip


def drawn_figures(
    summary: Summary,
    timeline: Timeline | None = None,
    answers: Sequence[WhatIf] = (),
    fields: Sequence[WaveField] = (),
    ruptures: Sequence[RuptureField] = (),
) -> Iterator[Drawn]:
    """The figures that concern a run, in the order of the page.

    Args:
        timeline: of a run that was traced.
        answers: about the run on other machines.
        fields: of the waves that it modelled.
        ruptures: that it computed.
    """
    for figure in by_time(FIGURES, summary):
        if figure.concerns(summary):
            yield drawn(figure, summary, pictured=summary.ranks >= figure.fewest_ranks)
        if figure.name == "ranks" and timeline is not None:
            yield drawn_timeline(timeline, summary.waits.over_time if summary.waits else None)
        if figure.name == "phases":
            if summary.advice is not None:  # whose efficiencies are in the tree of the overview
                yield drawn(OPPORTUNITIES, summary.advice)
            yield from drawn_answers(answers)
    kernels = (
        drawn_roofline(summary.roofline),
        drawn_wave_field(fields),
        drawn_rupture_field(ruptures),
    )
    yield from filter(None, kernels)
