"""Draws the README's picture: the diagnosis and three plots of a run, as one SVG.

    python tools/readme_plot.py RUN docs/report.svg

The plots are the report's own, from the same descriptions.
"""

from __future__ import annotations

import argparse
import html
import re
import tempfile
import textwrap
from pathlib import Path

from waywiser.analyse.diagnosis import diagnosis
from waywiser.report.drawing.export_plots import export_plots
from waywiser.report.run.run_plots import drawn_plots
from waywiser.store.read import read_run
from waywiser.units import unbroken

SHOWN = ("ranks", "matrix-bytes", "functions")
WIDTH = 1500
MARGIN = 36
HEADER = 132


def size_of(svg: str) -> tuple[float, float]:
    """Width and height that an SVG states [px]."""
    opening = svg[: svg.index(">")]
    matches = dict(re.findall(r'\b(width|height)="([\d.]+)"', opening))
    return float(matches["width"]), float(matches["height"])


def placed(svg: str, x: float, y: float, scale: float) -> str:
    body = re.sub(r"<\?xml.*?\?>", "", svg)
    return f'<g transform="translate({x:.0f} {y:.0f}) scale({scale:.3f})">{body}</g>'


def unique_ids(svg: str, prefix: str) -> str:
    """The SVG with prefixed ids, as clip paths of several plots must not share their names."""
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r"url\(#", f"url(#{prefix}-", svg)
    return re.sub(r'href="#', f'href="#{prefix}-', svg)


def readme_plot(run: Path) -> str:
    described, summary = read_run(run)
    with tempfile.TemporaryDirectory() as directory:
        export_plots(drawn_plots(summary), Path(directory))
        plots = {
            name: unique_ids((Path(directory) / f"{name}.svg").read_text(encoding="utf-8"), name)
            for name in SHOWN
        }
    column = (WIDTH - 3 * MARGIN) / 2
    scales = {name: column / size_of(svg)[0] for name, svg in plots.items()}
    heights = {name: size_of(svg)[1] * scales[name] for name, svg in plots.items()}
    right = MARGIN * 2 + column
    parts = [
        placed(plots["ranks"], MARGIN, HEADER, scales["ranks"]),
        placed(
            plots["functions"],
            MARGIN,
            HEADER + heights["ranks"] + MARGIN,
            scales["functions"],
        ),
        placed(plots["matrix-bytes"], right, HEADER, scales["matrix-bytes"]),
    ]
    left_height = heights["ranks"] + MARGIN + heights["functions"]
    height = HEADER + max(left_height, heights["matrix-bytes"]) + MARGIN
    lines = textwrap.wrap(unbroken(diagnosis(summary).text), 150)[:3]
    name = Path(described.program.path).name
    text = [
        f'<text x="{MARGIN}" y="52" font-size="30" font-weight="bold">{html.escape(name)}</text>',
        *(
            f'<text x="{MARGIN}" y="{84 + 24 * i}" font-size="18">{html.escape(line)}</text>'
            for i, line in enumerate(lines)
        ),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{WIDTH}" height="{height:.0f}" viewBox="0 0 {WIDTH} {height:.0f}">'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<g font-family="sans-serif" fill="#1f2328">{"".join(text)}</g>{"".join(parts)}</svg>\n'
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("output", type=Path, metavar="FILE.svg")
    arguments = parser.parse_args()
    arguments.output.write_text(readme_plot(arguments.run), encoding="utf-8")


if __name__ == "__main__":
    main()
