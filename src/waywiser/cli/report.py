"""`waywiser report RUN`: a run as one self-contained HTML page, and its figures as files."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from waywiser.analyse.gate import read_gated
from waywiser.errors import USERS_MISTAKES, InvalidCommand, NotSaved, WaywiserError
from waywiser.report.export_figures import export_figures
from waywiser.report.page import page
from waywiser.store.answer import read_answer
from waywiser.store.durable import STDOUT, beside, write_output
from waywiser.store.ruptures import ruptures_of_run
from waywiser.store.samples import samples_of_run
from waywiser.store.timeline import Window, read_timeline
from waywiser.store.waits import after_iterations, read_waits
from waywiser.store.wave_fields import wave_fields_of_run
from waywiser.units import bytes_text, counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Writes a run as one self-contained HTML page, and its plots as files."
    parser.add_argument("run", type=Path, metavar="RUN", help="directory of the run")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="file to write, '-' for standard output (default: report.html in RUN)",
    )
    parser.add_argument(
        "--figures", type=Path, metavar="DIR", help="also write each plot as SVG, PNG and PDF"
    )
    parser.add_argument(
        "--whatif",
        type=Path,
        action="append",
        default=[],
        metavar="ANSWER.json",
        help="also show this answer of `waywiser whatif RUN … -o ANSWER.json`; may be repeated",
    )
    parser.add_argument(
        "--samples",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="draw the roofline, waves and ruptures of these samples, which a ww-* program "
        "wrote with --json FILE; may be repeated (default: those in RUN)",
    )
    part = parser.add_mutually_exclusive_group()
    part.add_argument(
        "--window",
        type=_window,
        metavar="BEGIN:END",
        help="restrict timeline and waits to these seconds of the trace, down to single calls",
    )
    part.add_argument(
        "--skip-iterations",
        type=int,
        metavar="N",
        help="exclude the first N iterations of the main loop from every plot",
    )
    parser.set_defaults(action=run)


def _window(text: str) -> Window:
    try:
        begin, end = (float(seconds) for seconds in text.split(":"))
    except ValueError:
        begin = end = math.nan
    if not -math.inf < begin < end < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not BEGIN:END in seconds, such as 1.5:2")
    return begin, end


def run(arguments: argparse.Namespace) -> int:
    window: Window | None = arguments.window
    rest: Window | None = None
    if arguments.skip_iterations is not None:
        window = rest = after_iterations(arguments.run, arguments.skip_iterations)
    described, summary = read_gated(arguments.run, rest)
    timeline = read_timeline(arguments.run, window)
    if window is not rest:
        summary = summary.model_copy(update={"waits": read_waits(arguments.run, window)})
    answers = [read_answer(path, summary.ranks) for path in arguments.whatif]
    samples = samples_of_run(arguments.run, arguments.samples)
    fields = wave_fields_of_run(arguments.run, arguments.samples)
    ruptures = ruptures_of_run(arguments.run, arguments.samples)
    output: Path = arguments.output or arguments.run / "report.html"
    html = page(described, summary, timeline, answers, samples, fields, ruptures).encode("utf-8")
    try:
        write_output(output, html)
    except BrokenPipeError:
        raise  # nobody reads on; that is no failure
    except OSError as error:
        named = f"-o {output}" if arguments.output else str(output)
        raise _page_refused(named, error) from error
    if output != STDOUT:
        print(f"wrote {output} ({bytes_text(len(html))})")
    if arguments.figures is not None:
        try:
            written = export_figures(
                summary, arguments.figures, timeline, answers, samples, fields, ruptures
            )
        except OSError as error:
            raise _figures_refused(arguments.figures, error) from error
        print(
            f"wrote {counted(len(written), 'figure')} in {arguments.figures}", file=beside(output)
        )
    return 0


def _page_refused(named: str, error: OSError) -> WaywiserError:
    sentence = f"{named}: {error.strerror}; nothing was written"
    accepted = "give a file in an existing folder that you may write to, with -o FILE"
    return _refused(error, sentence, accepted)


def _figures_refused(directory: Path, error: OSError) -> WaywiserError:
    sentence = f"--figures {directory}: {error.strerror}; the page was written"
    return _refused(error, sentence, "give a folder that you may write to, or a new name")


def _refused(error: OSError, sentence: str, accepted: str) -> WaywiserError:
    if isinstance(error, USERS_MISTAKES):
        return InvalidCommand(f"{sentence}; {accepted}")
    return NotSaved(sentence)
