"""Diagnoses, waits, calibrations, virtual clocks and what the terminal shows."""

from __future__ import annotations

from tests.synthetic_runs import diagnosis_text, function, rank, site, summary
from tests.synthetic_sentences import (
    RANGE,
    RECV,
    calibrated,
    causes,
    clocked,
    clocks,
    collectives,
    diagnosis,
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
    waited,
)
from waywiser.analyse.times import threads_note, whose_time
from waywiser.model.calibration import CheckedMeasurement, Overhead
from waywiser.model.tuning import Proof
from waywiser.report.answers.tuning import shell_text

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


CHECK = CheckedMeasurement(
    pattern="bcast", bytes=8, window=None, measured_us=1.0, predicted_us=1.1, error_per_cent=10.0
)
