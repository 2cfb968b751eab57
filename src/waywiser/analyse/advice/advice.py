"""Find the efficiencies and opportunities of a recorded run, ranked by their gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from waywiser import __version__
from waywiser.analyse.advice.opportunities import ABSORBS, NOTABLE, OPPORTUNITIES, Candidate, Seen
from waywiser.analyse.placement_gain import NOISE_PER_CENT, assessment_of
from waywiser.analyse.whatif.answer import NS_PER_S, Base, answer, described, doubts
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.requested import Requested
from waywiser.model.advice import Advice, Opportunity
from waywiser.model.efficiencies import efficiencies_of, with_openmp_and_files
from waywiser.model.progress import without_progress
from waywiser.model.summary import OUTSIDE_MPI_TIME
from waywiser.progress import steps
from waywiser.units import percent_text, seconds_text


def advice(base: Base, options: str = "") -> Advice:
    """
    Args:
        options: options of `waywiser whatif` for the base, for the opportunities' commands.

    Raises:
        InvalidCommand: the run cannot be replayed.
    """
    recorded, gate = base.recorded, base.gate
    as_recorded = described(base, Requested(recorded.base, ()), base.replayed, "as recorded")
    ideal = answer(base, Question(ideal_network=True))
    seen = Seen(base, as_recorded, ideal, options)
    methods = OPPORTUNITIES if gate.predicts else ()
    opportunities = [
        _opportunity(base, candidate)
        for find in steps("replaying", methods, len(methods))
        for candidate in find(seen)
    ]
    return Advice(
        waywiser=__version__,
        run=recorded.name,
        ranks=recorded.summary.ranks,
        nodes=as_recorded.nodes,
        recorded_seconds=base.seconds,
        replayed_seconds=as_recorded.replayed_seconds,
        base_error=base.error,
        validation_error=as_recorded.validation_error,
        network=as_recorded.network,
        noise_seconds=NOISE_PER_CENT / 100 * base.seconds,
        efficiencies=with_openmp_and_files(
            efficiencies_of(
                (base.replayed.compute_ns / NS_PER_S).tolist(),
                base.seconds,
                ideal.replayed_seconds if gate.predicts else None,
            ),
            without_progress(recorded.summary)[0],
        ),
        gate=gate,
        opportunities=tuple(
            sorted(
                opportunities,
                key=lambda opportunity: (opportunity.bound, -opportunity.gain_seconds),
            )
        ),
        findings=tuple(_findings(seen, opportunities)),
        remarks=(*_remarks(seen), *recorded.base.network.remarks, *as_recorded.remarks),
    )


def _opportunity(base: Base, candidate: Candidate) -> Opportunity:
    recorded = base.seconds
    most = recorded - base.least_seconds(candidate.computing_seconds)
    gain = min(recorded * (1 - candidate.ratio), most)
    wrong = base.uncertainty(base.recorded.base.parts) * abs(gain)
    noise = NOISE_PER_CENT / 100 * recorded
    low, high = (min(0.0, gain) if candidate.bound else gain - wrong), min(gain + wrong, most)
    return Opportunity(
        name=candidate.name,
        function=candidate.function,
        what=candidate.what,
        predicted_seconds=recorded - gain,
        gain_seconds=gain,
        low_seconds=low,
        high_seconds=high,
        share=gain / recorded,
        bound=candidate.bound,
        assessment="refused" if base.gate.unreliable else assessment_of(low, high, noise),
        because=candidate.because,
        cause=candidate.cause,
        command=candidate.command,
    )


def _findings(seen: Seen, opportunities: Sequence[Opportunity]) -> Iterator[str]:
    """Yield sentences on where the recorded time of expensive functions goes, and on whether their
    algorithms matter."""
    of_function = {
        opportunity.function: opportunity for opportunity in opportunities if opportunity.function
    }
    functions = seen.base.recorded.summary.functions
    for name in sorted(functions, key=lambda name: -functions[name].seconds):
        if name in OUTSIDE_MPI_TIME or seen.share(name) < NOTABLE:
            continue
        sentence = f"{name} takes {percent_text(seen.share(name))} of the ranks' time"
        waiting = seen.waiting(name)
        if waiting is not None:
            sentence += f", {percent_text(waiting)} of it waiting for other ranks"
        tuning = of_function.get(name)
        if tuning is not None and tuning.assessment in ("none", "loss"):
            absorbs = "it absorbs imbalance, and " if (waiting or 0.0) >= ABSORBS else ""
            sentence += (
                f": {absorbs}tuning its algorithm is not worth it (the best one gains "
                f"{seconds_text(max(0.0, tuning.high_seconds))} at most)"
            )
        yield f"{sentence}."


def _remarks(seen: Seen) -> Iterator[str]:
    if not seen.several_nodes:
        yield "all ranks were on one node: there is nothing to place"
    yield from doubts(seen.base)
