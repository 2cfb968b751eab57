"""`waywiser report RUN`: a run as one self-contained HTML page, and its figures as files."""

from __future__ import annotations

import argparse
from pathlib import Path

from waywiser.errors import NotSaved
from waywiser.report.export_figures import export_figures
from waywiser.report.page import page
from waywiser.store import read_run
from waywiser.units import bytes_text


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser("report", help="HTML report of a run", description=__doc__)
    parser.add_argument("run", type=Path, metavar="RUN", help="directory of the run")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="default: report.html in RUN"
    )
    parser.add_argument(
        "--figures", type=Path, metavar="DIR", help="also write each figure as SVG, PNG and PDF"
    )
    parser.set_defaults(action=run)


def run(args: argparse.Namespace) -> int:
    provenance, summary = read_run(args.run)
    output: Path = args.output or args.run / "report.html"
    html = page(provenance, summary).encode("utf-8")
    try:
        output.write_bytes(html)
    except OSError as error:
        raise NotSaved(f"{output}: the report could not be written: {error.strerror}") from error
    print(f"report: {output} ({bytes_text(len(html))})")
    if args.figures is not None:
        written = export_figures(summary, args.figures)
        print(f"figures: {len(written)} files in {args.figures}")
    return 0
