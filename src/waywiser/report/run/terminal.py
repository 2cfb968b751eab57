"""The summary of a run as plain text for one terminal screen, 80 columns by 24 lines, and longer if
data or CPUs were lacking."""

from __future__ import annotations

import shutil
import textwrap
import unicodedata
from collections.abc import Mapping
from itertools import zip_longest

from waywiser.analyse.diagnosis import diagnosis
from waywiser.analyse.findings import (
    library_text,
    missing,
    state_text,
)
from waywiser.analyse.remarks import (
    energy_text,
    no_energy_text,
    not_counted_text,
    rank_remarks,
    remark_lines,
)
from waywiser.analyse.times import Parts, RankTime, by_time, rank_times, total_time
from waywiser.analyse.wait_words import cause_lines
from waywiser.analyse.where import site_text
from waywiser.model.efficiencies import efficiencies
from waywiser.model.progress import spent, without_progress
from waywiser.model.summary import OUTSIDE_MPI_TIME, Function, FunctionTotal, Summary
from waywiser.report.gate import gate_sentences
from waywiser.report.run.virtual import virtual_lines
from waywiser.units import (
    bytes_text,
    count_text,
    counted,
    percent_text,
    seconds_text,
    size_text,
    three_digits,
    unbroken,
)

COLUMNS = 78
"""Width of a summary: two summaries and their gutter fit a terminal of 160 columns."""

LINES = 23
"""Lines of a summary: one less than a screen, for the prompt."""

FUNCTIONS, FEWEST_FUNCTIONS, SITES, CAUSES, PAIRS = 6, 3, 3, 2, 2
FEWEST_LINES = FEWEST_FUNCTIONS + 2
"""Smallest number of lines for functions, with the first line and the last."""

SITE_COLUMNS = 57
NOTABLE_SITE = 0.01
"""Share of the time from which a call site is listed."""

SET_UP = "MPI_Init, MPI_Finalize"
BAR_CELLS = 34
GUTTER = " │ "
NO_BREAK = "\u00a0"
HARMLESS = " " + NO_BREAK

_CELLS = {"application": "█", "mpi": "▒", "set_up": "░"}


def summary_text(summary: Summary, *, per_rank: bool = False) -> str:
    """The summary, ending with a newline.

    Args:
        summary: summary with `per_rank`.
        per_rank: add a line for every rank, which may exceed a screen.
    """
    lines = [*_title(summary), *_lost(summary)]
    room = LINES - len(lines)  # the gate's lines are extra, so that no others are dropped
    lines += _gate(summary)
    if summary.ranks:
        lines += _findings(summary, room)
    if summary.virtual is not None:
        lines += [
            "",
            *(line for text in virtual_lines(summary.virtual) for line in _wrapped_as_it_is(text)),
        ]
    if summary.ranks and per_rank:
        lines += ["", *_ranks(summary)]
    # Done last, because a line must not be broken there.
    return "\n".join(line.rstrip().replace(NO_BREAK, " ") for line in lines) + "\n"


def _findings(summary: Summary, room: int) -> list[str]:
    """Lines on the findings. Beyond `room`, causes, pairs, call sites and functions are dropped,
    but no remark."""
    findings = diagnosis(summary).findings
    sentences = [line for finding in findings for line in _wrapped(finding.sentence)]
    remarks = _remarks(summary)
    summary, _ = without_progress(summary)
    bars = ["", *_bars(rank_times(summary)), ""]
    kept = [*_efficiency(summary), *remarks, *_trace(summary), *_not_counted(summary)]
    left = room - len(sentences) - len(bars) - FEWEST_LINES - 1 - len(kept)
    causes: list[str] = []
    for cause in _causes(summary):
        causes += cause if len(causes) + len(cause) <= left else []
    pairs = _pairs(summary)
    rest = ["", *causes, *kept, *(pairs if len(causes) + len(pairs) <= left else [])]
    sites = _sites(summary)
    left = room - len(sentences) - len(bars) - len(rest)
    functions = _functions(summary, left - len(sites))
    if len(functions) + len(sites) > left:
        sites = []
        functions = _functions(summary, left)
    return [*sentences, *bars, *functions, *sites, *rest]


def _causes(summary: Summary) -> list[list[str]]:
    """Groups of lines on the waits of a traced run and their first causes."""
    if summary.waits is None:
        return []
    return [_wrapped(cause, indent="    ") for cause in cause_lines(summary.waits, CAUSES)]


def printable(text: str) -> str:
    """`text` with every control character shown as its code, e.g. <1b>."""
    return "".join(
        c if unicodedata.category(c)[0] not in "CZ" or c in HARMLESS else f"<{ord(c):02x}>"
        for c in text
    )


def columns(text: str) -> int:
    """The number of terminal columns of `text`: East Asian wide characters take two."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in text
    )


def padded(text: str, width: int) -> str:
    """`text` and spaces, `width` columns in all; a longer text is cut and ends in "…"."""
    if columns(text) > width:
        while columns(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - columns(text))


def side_by_side(left: str, right: str, width: int | None = None) -> str:
    """Two texts beside each other, or below each other if `width` columns are too few.

    Args:
        width: width of the terminal in columns; None: that of the present terminal, or 160 without
            a terminal.
    """
    if width is None:
        width = shutil.get_terminal_size(fallback=(160, 24)).columns
    rows = list(zip_longest(left.splitlines(), right.splitlines(), fillvalue=""))
    if not rows:
        return ""
    left_width = max(columns(line) for line, _ in rows)
    if left_width + len(GUTTER) + max(columns(line) for _, line in rows) > width:
        return f"{left.rstrip()}\n\n{'─' * min(width, COLUMNS)}\n\n{right}"
    lines = (
        f"{padded(left_line, left_width)}{GUTTER}{right_line}".rstrip()
        for left_line, right_line in rows
    )
    return "\n".join(lines) + "\n"


def _wrapped(text: str, *, first: str = "", indent: str = "") -> list[str]:
    return textwrap.wrap(
        printable(unbroken(text)),
        COLUMNS,
        initial_indent=first,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _wrapped_as_it_is(line: str) -> list[str]:
    """A line with its indent, wrapped only if it is too long."""
    return [line] if columns(line) <= COLUMNS else _wrapped(line, first="  ", indent="    ")


def _title(summary: Summary) -> list[str]:
    if not summary.ranks:
        return ["no MPI call was seen"]
    library = printable(library_text(summary.mpi))
    title = (
        f"{library} · {counted(summary.ranks, 'rank')} · {seconds_text(summary.wall_seconds)} "
        f"· {state_text(summary)}"
    )
    return [padded(title, COLUMNS)]


def _lost(summary: Summary) -> list[str]:
    sentences = missing(summary) if summary.ranks else summary.lost  # the title says the exit code
    return [line for sentence in sentences for line in _wrapped(sentence, first="! ", indent="  ")]


def _gate(summary: Summary) -> list[str]:
    """Lines on contention that affects the times below, and on its remedy."""
    sentences = gate_sentences(summary.gate)
    return [line for sentence in sentences for line in _wrapped(sentence, first="! ", indent="  ")]


def _bar(time: Parts) -> str:
    whole = time.whole
    if whole <= 0:
        return " " * BAR_CELLS
    # Positions are rounded, not lengths, so that the cells add up to the whole bar.
    application = round(BAR_CELLS * time.application / whole)
    mpi = round(BAR_CELLS * (time.application + time.mpi) / whole)
    return (
        _CELLS["application"] * application
        + _CELLS["mpi"] * (mpi - application)
        + _CELLS["set_up"] * (BAR_CELLS - mpi)
    )


def _bars(times: list[RankTime]) -> list[str]:
    if not times:
        return ["No times: no rank left a profile."]
    everyone = "all ranks" if len(times) > 1 else f"rank {times[0].rank}"
    rows: list[tuple[str, Parts]] = [(everyone, total_time(times))]
    if len(times) > 1:
        least = min(times, key=lambda time: (time.mpi_share, time.rank))
        most = max(times, key=lambda time: (time.mpi_share, -time.rank))
        rows += [
            (f"least MPI: rank {least.rank}, {least.host}", least),
            (f"most MPI: rank {most.rank}, {most.host}", most),
        ]
    legend = "█ application  ▒ MPI  ░ init, finalize"
    return [
        *(
            f"{padded(printable(name), 32)} {_bar(time)} {percent_text(time.mpi_share):>6} MPI"
            for name, time in rows
        ),
        f"{'':32} {legend}",
    ]


def _functions(summary: Summary, room: int) -> list[str]:
    """A line for each of the first functions, in `room` lines but at least `FEWEST_LINES`."""
    functions = by_time(_with_set_up(summary.functions))
    if not functions:
        return ["No MPI function was called."]
    limit = max(FEWEST_FUNCTIONS, min(FUNCTIONS, room - 2))  # without the first and the last line
    total = total_time(rank_times(summary))
    lines = [f"{'function':24}{'calls':>13}{'time':>12}{'of all':>9}{'a call':>10}{'bytes':>10}"]
    if summary.split_sync:
        lines = [
            f"{'function':23}{'calls':>13}{'time':>12}{'waiting':>11}{'of all':>9}{'bytes':>10}"
        ]
    lines += [
        _function(name, function, total, split=summary.split_sync)
        for name, function in functions[:limit]
    ]
    if functions[limit:]:
        hidden = sum(1 + (name == SET_UP) for name, _ in functions[limit:])
        lines.append(f"and {counted(hidden, 'function')} with less time")
    return lines


def _with_set_up(functions: Mapping[str, FunctionTotal]) -> dict[str, FunctionTotal]:
    """Join MPI_Init and MPI_Finalize, whose time the diagnosis gives as one."""
    joined = {
        name: function for name, function in functions.items() if name not in OUTSIDE_MPI_TIME
    }
    set_up = [function for name, function in functions.items() if name in OUTSIDE_MPI_TIME]
    if set_up:
        calls, seconds = (
            sum(function.calls for function in set_up),
            sum(function.seconds for function in set_up),
        )
        joined[SET_UP] = set_up[0].replace(calls=calls, seconds=seconds)
    return joined


def _function(name: str, function: Function, total: Parts, *, split: bool) -> str:
    shown = padded(printable(name), 23 if split else 24)
    calls = f"{count_text(function.calls):>13}{seconds_text(spent(function)):>12}"
    share = f"{percent_text(total.share(spent(function))):>9}"
    payload = function.bytes or function.receive_bytes
    amount = f"{bytes_text(payload) if payload else '-':>10}"
    # Rounded down, because 99.99 % is not all.
    vain = f"{100 * function.pending_calls // max(1, function.calls)} %"
    if split:
        waiting = seconds_text(function.sync_seconds) if function.sync_seconds else "-"
        last = f"{vain} vain" if function.pending_calls else amount
        return f"{shown}{calls}{waiting:>11}{share}{last:>10}"
    if function.pending_calls:  # polling moves no data, so that these columns are free
        return f"{shown}{calls}{share}{f'{vain} found nothing':>20}"
    mean = bytes_text(payload / function.calls) if payload and function.calls else "-"
    return f"{shown}{calls}{share}{mean:>10}{amount}"


def _sites(summary: Summary) -> list[str]:
    """Lines on the call sites with the most time, from a share of `NOTABLE_SITE` on."""
    total = total_time(rank_times(summary))
    sites: dict[str, float] = {}
    for site in summary.call_sites:
        # Calls of threads that only make progress are left out, as among the functions.
        if site.function in summary.functions and site.function not in OUTSIDE_MPI_TIME:
            text = f"{site.function} from {site_text(site)}"
            sites[text] = sites.get(text, 0.0) + site.seconds + site.sync_seconds
    first = sorted(sites.items(), key=lambda item: -item[1])[:SITES]
    return [
        padded(printable(text), SITE_COLUMNS)
        + f"{seconds_text(seconds):>12}{percent_text(total.share(seconds)):>9}"
        for text, seconds in first
        if total.share(seconds) >= NOTABLE_SITE
    ]


def _remarks(summary: Summary) -> list[str]:
    lines = remark_lines(summary.per_rank or ())
    return [shown for line in lines for shown in _wrapped(line, indent="  ")]


def _efficiency(summary: Summary) -> list[str]:
    tree = efficiencies(summary)
    peak = max((rank.peak_memory_bytes for rank in summary.per_rank or ()), default=0)
    facts = [f"peak memory {size_text(peak)}", *filter(None, [energy_text(summary.nodes)])]
    if tree is not None and summary.ranks > 1:
        parallel, balance, communication = (
            percent_text(share) for share in (tree.parallel, tree.load_balance, tree.communication)
        )
        openmp = "" if tree.openmp is None else f", OpenMP {percent_text(tree.openmp)}"
        facts.insert(
            0,
            f"efficiency {parallel}: load balance {balance}, communication {communication}{openmp}",
        )
    return _wrapped("; ".join(facts), indent="  ")


def _pairs(summary: Summary) -> list[str]:
    heaviest = summary.matrix.bytes.heaviest(PAIRS)
    messages = summary.matrix.messages
    if not messages and not heaviest:
        return ["no point-to-point message"]
    pairs = [
        f"{source} → {to} {bytes_text(amount)} in {counted(messages.amount(source, to), 'message')}"
        for source, to, amount in heaviest
    ]
    return _wrapped("heaviest pairs: " + "; ".join(pairs), indent="  ")


def _not_counted(summary: Summary) -> list[str]:
    missing = (not_counted_text(summary.per_rank or ()), no_energy_text(summary.nodes))
    return [line for text in missing for line in _wrapped(text, indent="  ")]


def _trace(summary: Summary) -> list[str]:
    trace = summary.trace
    if trace is None:
        return []
    facts = [counted(trace.calls, "call"), bytes_text(trace.bytes)]
    if trace.calls:
        facts.append(f"{three_digits(trace.bytes / trace.calls)} bytes a call")
    if trace.lost_calls:
        facts.append(f"{counted(trace.lost_calls, 'call')} missing")
    if trace.dropped_calls > trace.lost_calls:
        facts.append(f"{counted(trace.dropped_calls - trace.lost_calls, 'call')} dropped")
    return [f"trace: {', '.join(facts)}"]


def _ranks(summary: Summary) -> list[str]:
    times = rank_times(without_progress(summary)[0])
    remarks = rank_remarks(summary.per_rank or ())
    lines = [
        f"{'rank':>6}  {'host':16}{'wall':>10}{'application':>13}{'MPI':>10}{'CPU':>10}{'peak':>10}"
    ]
    for rank, time in zip(summary.per_rank or (), times, strict=True):
        lines.append(
            f"{rank.rank:>6}  {padded(printable(rank.host), 16)}{seconds_text(time.wall):>10}"
            f"{seconds_text(time.application):>13}{seconds_text(time.mpi):>10}"
            f"{seconds_text(rank.cpu_seconds):>10}{size_text(rank.peak_memory_bytes):>10}"
        )
        lines += [f"{'':8}{remark}" for remark in remarks[rank.rank].values()]
    return lines
