"""The figures of the report, in the order of the page. A new one is a module and a line here."""

from waywiser.report.figure import Figure
from waywiser.report.plots import extremes, functions, matrix, ranks, sizes, split

FIGURES: tuple[Figure, ...] = (
    Figure(
        "time", "Application against MPI", split.caption, split.chart, split.table, split.absent
    ),
    Figure("ranks", "Time by rank", ranks.caption, ranks.chart, ranks.table, ranks.absent),
    Figure(
        "functions",
        "Time and calls by function",
        functions.caption,
        functions.chart,
        functions.table,
        functions.absent,
    ),
    Figure(
        "sizes", "Message sizes by function", sizes.caption, sizes.chart, sizes.table, sizes.absent
    ),
    Figure(
        "matrix-bytes",
        "Who sends to whom: payload",
        matrix.bytes_caption,
        matrix.bytes_chart,
        matrix.table,
        matrix.bytes_absent,
        zooms=True,
    ),
    Figure(
        "matrix-messages",
        "Who sends to whom: messages",
        matrix.messages_caption,
        matrix.messages_chart,
        matrix.table,
        matrix.messages_absent,
        zooms=True,
    ),
    Figure(
        "extremes",
        "The slowest and the fastest rank",
        extremes.caption,
        extremes.chart,
        extremes.table,
        extremes.absent,
    ),
)
