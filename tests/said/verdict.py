"""Verdicts, waits, calibrations, virtual clocks and what the terminal shows."""

from __future__ import annotations

from tests.made_runs import function, rank, said, site, summary
from tests.made_said import (
    RANGE,
    RECV,
    calibrated,
    causes,
    clocked,
    clocks,
    collectives,
    estimated,
    files,
    guided,
    iterations,
    library,
    names,
    of,
    of_kind,
    phases,
    polls,
    progressing,
    remarks,
    screen,
    sent,
    team,
    threaded,
    traced,
    tuned,
    verdict,
    waited,
)
from tests.said import Cases, Said
from tests.sentences import sentences
from waywiser.model.calibration import CheckedMeasurement, Overhead
from waywiser.model.tuning import Proof
from waywiser.report import wait_words
from waywiser.report.times import threads_note, whose_time
from waywiser.report.tuning import shell_text

NOBODY = summary([], lost=1)
ONE, TWO = of({RECV: function(3.0)}), of({RECV: function(3.0)}, {RECV: function(3.0)})
THIRDS = {RECV: function(1.0), "MPI_Send": function(1.0), "MPI_Bcast": function(1.0)}
SLOW_THIRDS = {name: function(0.2) for name in THIRDS}
ALIKE = [{RECV: function(2.0)}] * 4
SPREAD = [{RECV: function(float(n))} for n in range(4)]
LONG = function(3.0, max_seconds=2.5)
MANY = {
    f"MPI_{name}": function(0.1)
    for name in ("Recv", "Send", "Bcast", "Scan", "Put", "Get", "Ssend")
}
POLLS = {"MPI_Test": function(4.0, pending_seconds=3.9, pending_calls=9)}
FEW_POLLS = {"MPI_Test": function(4.0, pending_seconds=1.0, pending_calls=9)}
BARRIERS = [{"MPI_Barrier": function(3.0 if n else 0.01)} for n in range(4)]
IO = {"MPI_File_write_all": function(1.0)}

FINDINGS: dict[str, tuple[Said, Said]] = {
    "No rank left a profile.": (lambda: said(NOBODY), lambda: said(ONE)),
    "{} left a profile, but no time in it.": (verdict({}, wall_seconds=0.0), verdict({})),
    "{} of {} is MPI": (lambda: said(ONE), lambda: said(NOBODY)),
    "{} of {} is MPI{}.": (verdict({RECV: function(0.1)}), lambda: said(NOBODY)),
    "The program computes: {}": (
        verdict({RECV: function(0.1)}),
        verdict({RECV: function(0.1)}, cpu_seconds=1.0),
    ),
    "less than {}": (verdict({RECV: function(1e-4)}), verdict({RECV: function(0.1)})),
    "most of it": (lambda: said(ONE), verdict(THIRDS)),
    "the largest part of it": (verdict(THIRDS), lambda: said(ONE)),
    ", {} of that in calls that found nothing": (verdict(POLLS), verdict(FEW_POLLS)),
    ", so others may wait for rank {}": (
        verdict(*SPREAD),
        verdict(*({"MPI_Isend": own[RECV]} for own in SPREAD)),
    ),
    ": the others wait for rank {}": (
        verdict(*BARRIERS),
        lambda: said(of(*BARRIERS).replace(communicators=())),
    ),
    "Of its callers, rank {} on host {} spends the least time in it ({}), rank {}{} the most "
    "({})": (
        verdict(*SPREAD),
        verdict(*ALIKE),
    ),
    "Its callers are alike: between {} and {} of each one's time is in it": (
        verdict(*ALIKE),
        verdict(*SPREAD),
    ),
    "Only rank {} on host {} calls it, for {} of its time": (
        verdict({RECV: function(8.0)}, {}),
        verdict(*SPREAD),
    ),
    "Rank {} on host {} spends the least of its time in MPI ({}; rank {} the most, {}), so it may "
    "be the one that others wait for.": (verdict(THIRDS, SLOW_THIRDS), verdict(THIRDS, THIRDS)),
    "The ranks are alike: {} of each one's time is MPI.": (
        verdict(THIRDS, THIRDS),
        verdict(THIRDS, SLOW_THIRDS),
    ),
    "one call of rank {} took {}": (
        verdict({RECV: LONG}, {RECV: function(1.0)}),
        verdict({RECV: LONG.replace(calls=1)}, {RECV: function(1.0)}),
    ),
    "MPI as a whole is {} of {}, transfer in these calls {}": (
        waited([2, 2, 2, 0]),
        waited([2, 2, 2, 0], split=False),
    ),
    "Another {} is MPI_Init and MPI_Finalize.": (
        verdict({RECV: function(3.0)}, init_seconds=1.1),
        verdict({RECV: function(3.0)}, init_seconds=0.9),
    ),
    "MPI-IO is {}, {} in {}.": (verdict({RECV: function(3.0)} | IO), verdict(IO)),
    "{} that only {} progress {} left out{}.": (progressing(2), progressing(1)),
    "unknown MPI library": (library("unknown"), library("MPICH")),
    "on a CPU for only {} of its wall time": (
        remarks({"cpu_seconds": 8.9}),
        remarks({"cpu_seconds": 9.1}),
    ),
    "often displaced from its CPU by others": (
        remarks({"involuntary_switches": 201}),
        remarks({"involuntary_switches": 200}),
    ),
    "{} GHz (the median rank {} GHz) and {} instructions per cycle: a slow CPU or much time in the "
    "kernel": (clocks(26 * 10**9), clocks(28 * 10**9)),
    "{} only {} progress": (
        remarks({"mpi_threads": 2, "progress_threads": 1}),
        remarks({"mpi_threads": 1, "progress_threads": 1}),
    ),
    "{} called MPI; their times add up": (remarks({"mpi_threads": 2}), remarks({"mpi_threads": 1})),
}  # fmt: skip

TERMINAL: dict[str, tuple[Said, Said]] = {
    "no MPI call was seen": (screen(summary([])), screen(ONE)),
    "! and {} more: waywiser show RUN --json": (
        screen(ONE, lost=("a", "b", "c")),
        screen(ONE, lost=("a", "b")),
    ),
    "No times: no rank left a profile.": (screen(NOBODY), screen(ONE)),
    "No MPI function was called.": (screen(of({})), screen(ONE)),
    "and {} with less time": (screen(of(MANY)), screen(ONE)),
    "least MPI: rank {}, {}": (screen(TWO), screen(ONE)),
    "most MPI: rank {}, {}": (screen(TWO), screen(ONE)),
    "efficiency {}: load balance {}, communication {}{}": (screen(TWO), screen(ONE)),
    "peak memory {}": (screen(ONE), screen(summary([]))),
    "█ application  ▒ MPI  ░ init, finalize": (screen(ONE), screen(NOBODY)),
    "heaviest pairs: ": (screen(TWO, matrix=sent(8)), screen(TWO, matrix=sent(0))),
    "no point-to-point message": (screen(TWO, matrix=sent(0)), screen(TWO, matrix=sent(8))),
    "{} bytes a call": (traced(10), traced(0)),
    "{} found nothing": (polls(9), polls(0)),
}

WHERE: dict[str, tuple[Said, Said]] = {
    "called from {}": (
        lambda: said(summary([rank(0, SPREAD[3])], call_sites=(site("f at f.c:1", RECV, 3.0),))),
        lambda: said(summary([rank(0, SPREAD[3])])),
    ),
    "in phases beyond those that are counted singly": (phases(-1), phases(2)),
    "rank {} on host {}": (names("ab", [1]), names("aabb", [2, 3])),
    "the {} of host {}": (names("aabb", [2, 3]), names("aabbb", [2, 3])),
    "{} (rank {} on host {} and others)": (names("a" * 9, range(4)), names("a" * 9, range(3))),
}

KINDS: dict[str, tuple[Said, Said]] = {
    name: (of_kind(kind), of_kind("rma" if kind == "lock" else "lock"))
    for kind, name in wait_words.NAMES.items()
    if name in sentences("report.wait_words")
}
WAIT_WORDS: dict[str, tuple[Said, Said]] = KINDS | {
    "waiting {}, {} of MPI: {}": (of_kind("lock"), of_kind()),
    "  {} in {} for rank {}, {}": (causes(0.01), causes(0.009)),
    "rank {} makes {} of {}, which begin with {}: the first takes {}, the others {} (median)": (
        iterations(True),
        iterations(False),
    ),
}

LOSSES: dict[str, tuple[Said, Said]] = {
    "In parallel regions, OpenMP threads wait {} of their time{}: {} of the wall time is lost.": (
        team(4.0),
        team(4.0, tasks=1),
    ),
    ", on rank {} most ({})": (team(4.0, 5.0), team(4.0)),
    "The program's own access to files takes {} of the ranks' wall time, {} in {}.": (
        files(write=0.5),
        files(write=0.4),
    ),
    "most of it": (files(write=2.0, fsync=1.0), files(write=1.0, fsync=1.0, open=0.9)),
    "the largest part": (files(write=1.0, fsync=1.0, open=0.9), files(write=2.0, fsync=1.0)),
}

WAITING: dict[str, tuple[Said, Said]] = {
    "About {} of the ranks' time is waiting in collectives, estimated from the spread of their "
    "times across ranks. A trace (--trace) has the exact times and their causes.": (
        estimated(0.6),
        estimated(0.4),
    ),
    "{} of {} time, {} in {} {}for {}{}; {} {}.": (
        waited([2, 2, 2, 0]),
        waited([2, 2, 2, 0], split=False),
    ),
    "{} ranks wait": (waited([2, 2, 2, 0]), waited([5, 0])),
    "rank {} on host {} waits": (waited([5, 0]), waited([2, 2, 2, 0])),
    "rank {} itself waits": (waited([2, 2, 2, 0]), waited([2, 2, 0, 0])),
    "these themselves wait at most": (waited([2, 2, 0, 0]), waited([2, 2, 2, 0])),
    "the largest part in": (collectives(1.0, 1.0, 0.9), collectives(1.0, 2.0, 0.5)),
    "{} of their time, ranks wait in {} for each other in turn{}; each one between {} and {}.": (
        waited([2.0, 1.8, 2.2, 1.9]),
        waited([2.0, 1.6, 0.8, 1.2]),
    ),
    "{} of their time, ranks wait for others in {}{}; rank {} on host {} the least ({}), rank {} "
    "on host {} the most ({}).": (waited([2.0, 1.6, 0.8, 1.2]), waited([2.0, 1.8, 2.2, 1.9])),
}  # fmt: skip

TIMES: dict[str, tuple[Said, Said]] = {
    "the time of {} MPI threads": (threaded(2, whose_time), threaded(1, whose_time)),
    " Where several threads of a rank called MPI, the times are those of its MPI threads, added "
    "up: its wall time counts once for each of them.": (
        threaded(2, threads_note),
        threaded(1, threads_note),
    ),
}  # fmt: skip

GUIDELINES: dict[str, tuple[Said, Said]] = {
    "No performance guideline of {} could be judged ({}).": (
        guided("refused", "refused"),
        guided("refused", "equivalent"),
    ),
    "No violation in {} of performance guidelines.": (guided("equivalent"), guided("slower")),
    "{} in {} of performance guidelines: the library takes longer for a call than for other calls "
    "that could stand in its stead.": (guided("slower"), guided("faster", "undecided")),
    "  and {} more; --json has all": (guided(*["slower"] * 21), guided(*["slower"] * 20)),
}

VIRTUAL: dict[str, tuple[Said, Said]] = {
    "virtual clocks on {}{}": (screen(ONE, virtual=clocked()), screen(ONE)),
    "  {}{} calls{}, waiting {}": (
        screen(ONE, virtual=clocked()),
        screen(ONE, virtual=clocked(seconds=0.0)),
    ),
    "  left out: senders' waiting for receivers, at most {} of all ranks": (
        screen(ONE, virtual=clocked(senders=0.1)),
        screen(ONE, virtual=clocked()),
    ),
}

TUNING: dict[str, tuple[Said, Said]] = {
    "{} on {}: {} of algorithms with the library's own choice": (tuned(), tuned(shell_text)),
    "# Collectives of {} on {}, chosen by waywiser {}; the runs are in {}.": (
        tuned(shell_text),
        tuned(),
    ),
    "{} have no verdict ({})": (tuned(refused=2), tuned()),
    "Not one run counts of {}": (tuned(failed=("ring",)), tuned()),
    "No algorithm is faster than the library's own choice for sure.": (
        tuned(),
        tuned(ranges=(RANGE,)),
    ),
    "\nwrote {}; `. {}` sets": (tuned(ranges=(RANGE,)), tuned()),
    "for [axes] of a study of your application: {}": (tuned(ranges=(RANGE,)), tuned()),
    "\nTuned against the library's own choice, in runs made after the choice": (
        tuned(ranges=(RANGE,), proof=(Proof.model_construct(sentence="faster by 10 %"),)),
        tuned(ranges=(RANGE,)),
    ),
}

CHECK = CheckedMeasurement(
    pattern="bcast", bytes=8, window=None, measured_us=1.0, predicted_us=1.1, error_per_cent=10.0
)
CALIBRATION: dict[str, tuple[Said, Said]] = {
    "ranks of a node": (calibrated(part="node"), calibrated(part="network")),
    "Eager limit: {}": (calibrated(), tuned()),
    "not among the sizes measured": (calibrated(eager_limit_bytes=None), calibrated()),
    "o is the mean of both ends: receiving a message keeps a processor busy {} times as long as "
    "sending it (median over the sizes)": (
        calibrated(overheads=(Overhead(bytes=8, sending_us=1.0, receiving_us=2.0),)),
        calibrated(overheads=(Overhead(bytes=8, sending_us=1.0, receiving_us=None),)),
    ),
    "Not checked: no other benchmark of two ranks was measured.": (
        calibrated(),
        calibrated(error_per_cent=10.0, checks=(CHECK,)),
    ),
    "Predictions of {} that were not fitted are off by {} % (root of the mean square)": (
        calibrated(error_per_cent=10.0, checks=(CHECK,)),
        calibrated(),
    ),
    "From run to run, times of messages differ by {} %": (
        calibrated(noise_per_cent=2.0),
        calibrated(),
    ),
}

CASES: Cases = {
    "report.calibration": CALIBRATION,
    "report.findings": FINDINGS,
    "report.guidelines": GUIDELINES,
    "report.losses": LOSSES,
    "report.terminal": TERMINAL,
    "report.times": TIMES,
    "report.tuning": TUNING,
    "report.virtual": VIRTUAL,
    "report.wait_words": WAIT_WORDS,
    "report.waiting": WAITING,
    "report.where": WHERE,
}
