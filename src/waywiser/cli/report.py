"""`waywiser report RUN`: a run as one self-contained HTML page, and its plots as files."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from waywiser.api.write_report import read_contents, write_page, write_plots
from waywiser.cli.arguments import REPEATED, declare
from waywiser.store.durable import STDOUT, beside
from waywiser.store.timeline import Window
from waywiser.units import bytes_text, counted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Write a run as one self-contained HTML page, and its plots as files."
    declare(
        parser,
        """
        run RUN  directory of the run
        -o, --output FILE  file to write, '-' for standard output (default: report.html in RUN)
        --plots DIR  also write each plot as SVG, PNG and PDF
        --whatif ANSWER.json  also show this answer of `waywiser whatif RUN … -o ANSWER.json`; may
            be repeated
        --samples FILE  draw the roofline, waves and ruptures of these samples, which a ww-* program
            wrote with --json FILE; may be repeated (default: those in RUN)
        """,
        {Path: "run output plots whatif samples"},
        {"whatif": REPEATED, "samples": REPEATED},
    )
    part = parser.add_mutually_exclusive_group()
    declare(
        part,
        """
        --window BEGIN:END  restrict timeline and waits to these seconds of the trace, down to
            single calls
        --skip-iterations N  exclude the first N iterations of the main loop from every plot
        """,
        {_window: "window", int: "skip-iterations"},
    )
    parser.add_argument("--figures", dest="plots", type=Path, help=argparse.SUPPRESS)  # until 1.0


def _window(text: str) -> Window:
    try:
        begin, end = (float(seconds) for seconds in text.split(":"))
    except ValueError:
        begin = end = math.nan
    if not -math.inf < begin < end < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not BEGIN:END in seconds, such as 1.5:2")
    return begin, end


def run(arguments: argparse.Namespace) -> int:
    contents = read_contents(
        arguments.run,
        arguments.whatif,
        arguments.samples,
        arguments.window,
        arguments.skip_iterations,
    )
    output: Path = arguments.output or arguments.run / "report.html"
    size = write_page(contents, output, f"-o {output}" if arguments.output else str(output))
    if output != STDOUT:
        print(f"wrote {output} ({bytes_text(size)})")
    if arguments.plots is not None:
        written = write_plots(contents, arguments.plots)
        print(f"wrote {counted(len(written), 'plot')} in {arguments.plots}", file=beside(output))
    return 0
