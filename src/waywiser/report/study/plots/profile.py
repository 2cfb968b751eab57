"""Plot the parts of the ranks' time: application, each MPI function, MPI_Init, MPI_Finalize."""

from __future__ import annotations

from waywiser.model.configuration_findings import ConfigurationFindings, ConfigurationProfile
from waywiser.model.findings import Findings
from waywiser.model.result import FunctionShare
from waywiser.report.drawing.plot import BLUE, GREEN, GREY, Drawn, table
from waywiser.report.study.plots.stacks import bars, coloured, cut_to, largest, pies
from waywiser.units import percent_text, seconds_text

APPLICATION, OTHERS, ENDS = "Application", "Other MPI", "MPI_Init and MPI_Finalize"
FIXED = {APPLICATION: BLUE, OTHERS: GREY, ENDS: GREEN}
PROGRESS = " Threads that only make progress, spinning beside those that work, are left out."
MOST_FUNCTIONS = 5
MOST_PIES = 12
MOST_ROWS = 36


def profiled(findings: Findings) -> list[tuple[ConfigurationFindings, ConfigurationProfile]]:
    profiles = ((configuration, configuration.profile) for configuration in findings.configurations)
    return [(p, profile) for p, profile in profiles if profile and profile.total_seconds > 0]


Profiles = list[tuple[ConfigurationFindings, ConfigurationProfile]]


def most_in_mpi(findings: Findings, most: int) -> Profiles:
    """The configurations whose ranks spend the largest shares in MPI, in the study's order."""
    profiles = profiled(findings)
    places = sorted(range(len(profiles)), key=lambda place: -profiles[place][1].mpi_share)[:most]
    return [profiles[place] for place in sorted(places)]


def shares(profiles: Profiles) -> list[tuple[str, dict[str, float]]]:
    """Each configuration with the share of each part in the ranks' time."""
    functions = [_of_functions(profile) for _, profile in profiles]
    names = largest(functions, MOST_FUNCTIONS)
    return [
        (
            configuration.label,
            {
                APPLICATION: profile.application_seconds / profile.total_seconds,
                **cut_to(of_functions, names, OTHERS),
                ENDS: profile.init_seconds / profile.total_seconds,
            },
        )
        for (configuration, profile), of_functions in zip(profiles, functions, strict=True)
    ]


def _of_functions(profile: ConfigurationProfile) -> dict[str, float]:
    """Shares of functions in the ranks' time; with --split-sync, waiting is a part of its own."""
    parts: dict[str, float] = {}
    for name, function in profile.functions.items():
        parts[name] = (function.seconds - function.sync_seconds) / profile.total_seconds
        if function.sync_seconds > 0:
            parts[f"{name}, waiting"] = function.sync_seconds / profile.total_seconds
    return parts


def longest_wait(
    findings: Findings,
) -> tuple[ConfigurationFindings, ConfigurationProfile, str] | None:
    """The collective with the largest share of waiting in the ranks' time, and its configuration;
    None without waiting from --split-sync."""
    waits = [
        (function.sync_seconds / profile.total_seconds, configuration, profile, name)
        for configuration, profile in profiled(findings)
        for name, function in profile.functions.items()
        if function.sync_seconds > 0
    ]
    return max(waits, key=lambda wait: wait[0])[1:] if waits else None


def mpi_pies(findings: Findings) -> Drawn | None:
    """A pie for each configuration, or for those with the largest shares of MPI."""
    count = len(profiled(findings))
    if not count:
        return None
    caption = _caption(findings)
    if count > MOST_PIES:
        caption += f" The {MOST_PIES} of {count} configurations that spend most in MPI are drawn."
    stacks = shares(most_in_mpi(findings, MOST_PIES))
    colours = coloured(list(stacks[0][1]), FIXED)
    return Drawn("mpi-pies", "Application against MPI", caption, lambda: pies(stacks, colours))


def mpi_functions(findings: Findings) -> Drawn | None:
    """A bar for each configuration: the shares of the pies, as comparable lengths. The caption has
    the largest function of the first and the last configuration."""
    profiles = profiled(findings)
    if not profiles:
        return None
    parts = []
    for configuration, profile in (profiles[0], profiles[-1]):
        if profile.functions:
            name, function = next(iter(profile.functions.items()))
            share = function.seconds / profile.total_seconds
            parts.append(f" At {configuration.label}, {name} takes longest: {percent_text(share)}.")
    caption = (
        f"Shares are of the time of all ranks.{''.join(dict.fromkeys(parts))}{_others(findings)}"
    )
    if len(profiles) > MOST_ROWS:
        caption += f" The first {MOST_ROWS} of {len(profiles)} configurations are drawn."
    columns = (
        *("Configuration", "Function", "Of the ranks' time", "Of which waiting"),
        *("Time, all ranks", "Calls", "Time per call", "Bytes"),
    )
    rows = (
        (
            *(configuration.label, name, percent_text(function.seconds / profile.total_seconds)),
            *(_waiting_text(function), seconds_text(function.seconds), function.calls),
            seconds_text(function.seconds / function.calls) if function.calls else "–",
            function.bytes,
        )
        for configuration, profile in profiles
        for name, function in profile.functions.items()
    )
    stacks = shares(profiles[:MOST_ROWS])
    colours, title = coloured(list(stacks[0][1]), FIXED), "share of the ranks' time"
    return Drawn(
        "mpi-functions",
        "MPI time by function",
        caption,
        lambda: bars(stacks, colours, title, share=True),
        table("MPI functions, means over runs", columns, rows),
    )


def _caption(findings: Findings) -> str:
    profiles = profiled(findings)
    least, most = (pick(profiles, key=lambda pair: pair[1].mpi_share) for pick in (min, max))
    sentence = (
        f"MPI takes {percent_text(least[1].mpi_share)} of the ranks' time at {least[0].label}"
    )
    if len(profiles) > 1:
        sentence += f" and {percent_text(most[1].mpi_share)} at {most[0].label}"
    progress = any(profile.progress_mpi_seconds for _, profile in profiles)
    return f"{sentence}.{_others(findings)}{PROGRESS if progress else ''}"


def _others(findings: Findings) -> str:
    """Sentence on parts without a colour of their own; "" if every part has one."""
    parts = {part for _, profile in profiled(findings) for part in _of_functions(profile)}
    if len(parts) <= MOST_FUNCTIONS:
        return ""
    return f" {OTHERS} is the sum of all parts but the {MOST_FUNCTIONS} longest."


def _waiting_text(function: FunctionShare) -> str:
    return percent_text(function.sync_seconds / function.seconds) if function.sync_seconds else "–"
