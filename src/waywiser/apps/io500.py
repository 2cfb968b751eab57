"""IO500: score and phases, in the forms of its program (since 2020) and of the script before it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import metric, number, whole_lines
from waywiser.model.reading import Metric, Reading, Section
from waywiser.units import counted

FILES = ("result_summary.txt", "results/result_summary.txt", "results/*/result_summary.txt")
BANDWIDTHS = ("ior-easy-write", "ior-easy-read", "ior-hard-write", "ior-hard-read")
RATES = (
    *("mdtest-easy-write", "mdtest-easy-stat", "mdtest-easy-delete", "mdtest-hard-write"),
    *("mdtest-hard-stat", "mdtest-hard-read", "mdtest-hard-delete", "find"),
)
PHASE = re.compile(
    r"^[ \t]*\[RESULT(-invalid)?\] +(?:(?:BW|IOPS) +phase +\d+ +)?([a-z][\w-]*) +(\S+) +(\S+)"
    r" *: *time +(\S+) +s(?:econds)?\b(.*)$",
    re.MULTILINE,
)
SCORE = re.compile(
    r"^[ \t]*\[SCORE ?\] +Bandwidth +(\S+) +(\S+) *: *IOPS +(\S+) +kiops *: *TOTAL +(\S+)(.*)$",
    re.MULTILINE | re.IGNORECASE,
)
INVALID = (
    "IO500 marks the run INVALID: a phase was shorter than its rules ask (300 s), or is missing."
)
NOT_ITS_PHASES = "The score is not that of its phases: {} is {}, but they come to {:.6g}."
OLD_UNIT = "The GB/s of this output are 2^30 bytes per second; the unit is kept as printed."


def _error(printed: str) -> float:
    """Return half of a printed number's last digit, as a share of the number."""
    return 0.5 * 10.0 ** -len(printed.partition(".")[2]) / abs(float(printed))


def _check(name: str, printed: str, parts: Sequence[str]) -> list[str]:
    """Return a remark if the printed number is not the geometric mean of its parts."""
    mean = math.exp(sum(math.log(float(part)) for part in parts) / len(parts))
    allowed = _error(printed) + max(map(_error, parts))
    off = abs(float(printed) / mean - 1)
    return [NOT_ITS_PHASES.format(name, printed, mean)] if off > allowed else []


def _last_run(text: str) -> tuple[re.Match[str], list[re.Match[str]], int]:
    """Return the last score, the phases before it, and the number of scores."""
    scores = list(SCORE.finditer(text))
    if not scores or PHASE.search(text, scores[-1].end()):
        raise NoResult(
            "IO500 did not finish: no line '[SCORE ]' follows the last phase in "
            f"standard output or {FILES[0]}"
        )
    begin = scores[-2].end() if len(scores) > 1 else 0
    return scores[-1], list(PHASE.finditer(text, begin, scores[-1].start())), len(scores)


def _metrics(score: re.Match[str], phases: dict[str, re.Match[str]]) -> list[Metric]:
    bandwidth, unit, rate, total, _ = score.groups()
    metrics = [
        metric("score", total, "", "higher"),
        metric("bandwidth", bandwidth, unit, "higher"),
        metric("iops", rate, "kIOPS", "higher"),
    ]
    for name, phase in phases.items():
        shown = "kIOPS" if name in RATES else phase[4]
        metrics.append(metric(name.replace("-", "_"), phase[3], shown, "higher"))
    nothing = [each.name.replace("_", "-") for each in metrics if each.value <= 0]
    if nothing:
        failed = [name for name in nothing if name in phases] or _missing(phases) or nothing
        raise NoResult(f"IO500: no score, because the result of {', '.join(failed)} is 0")
    return metrics


def _missing(phases: dict[str, re.Match[str]]) -> list[str]:
    return [name for name in (*BANDWIDTHS, *RATES) if name not in phases]


def _remarks(score: re.Match[str], phases: dict[str, re.Match[str]]) -> list[str]:
    bandwidth, unit, rate, total, validity = score.groups()
    remarks = _check("the total", total, (bandwidth, rate))
    for title, printed, names in (("bandwidth", bandwidth, BANDWIDTHS), ("IOPS", rate, RATES)):
        if all(name in phases for name in names):
            remarks += _check(title, printed, [phases[name][3] for name in names])
    if "INVALID" in validity or any(phase[1] or "INVALID" in phase[6] for phase in phases.values()):
        remarks.append(INVALID)
    missing = _missing(phases)
    if missing:
        remarks.append(f"The output has no result of {', '.join(missing)}.")
    if unit == "GB/s":
        remarks.append(OLD_UNIT)
    return remarks


def read(output: Output) -> Reading:
    text = whole_lines(output.stdout)
    if not SCORE.search(text):
        files = (whole_lines(output.last_file(name)) for name in FILES)
        text = next(filter(None, files), text)
    score, lines, runs = _last_run(text)
    by_name = {line[2].replace("_", "-"): line for line in lines}
    phases = {name: by_name[name] for name in (*BANDWIDTHS, *RATES) if name in by_name}
    metrics = _metrics(score, phases)
    seconds = {name: number(phase[5]) for name, phase in phases.items()}
    several = f"The output holds {counted(runs, 'score')}; the metrics are those of the last."
    return Reading(
        metrics=tuple(metrics),
        sections=tuple(
            Section(name=name, seconds=time) for name, time in seconds.items() if time is not None
        ),
        remarks=(*_remarks(score, phases), *([several] if runs > 1 else [])),
    )


IO500 = Application(
    name="io500",
    title="IO500",
    headline="score",
    reader=read,
    version=r"^IO500 version (\S+)",
    log=FILES[0],
    documents=f"standard output, or the last `{FILES[0]}` under `results`: score, phases and times",
    success="`[SCORE ]`, and no phase that is 0",
)
