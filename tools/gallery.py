"""Writes a study that was run into the docs' gallery: its findings, machine and plots.

    python tools/gallery.py STUDY docs/gallery

The page has the contents of the report; no part of it is written by hand.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from waywiser import __version__
from waywiser.analyse.study import analyse_study
from waywiser.report.drawing.image_formats import FORMATS
from waywiser.report.study.contents import Contents, contents_of
from waywiser.report.study.study_plots import MOST_IN_TEXT
from waywiser.study.campaign import open_campaign
from waywiser.study.status import finished

PRIVATE = {"Nodes that started the runs", "Program", "Variables"}
"""Rows of the system that name directories or hosts of one machine."""


def page(contents: Contents, name: str) -> Iterator[str]:
    yield f"# {contents.title}\n"
    yield f"Waywiser {__version__} made this page by `tools/gallery.py` from the study's runs.\n"
    yield "".join(f"- {sentence}\n" for sentence in contents.abstract)
    yield "## System\n"
    rows = [row for row in contents.system if row.name.split(",")[0] not in PRIVATE]
    yield "| | |\n|---|---|\n" + "".join(f"| {row.name} | {row.text} |\n" for row in rows)
    yield "## Method\n"
    yield "\n\n".join(contents.method) + "\n"
    for plot in contents.plots[:MOST_IN_TEXT]:
        yield f"## {plot.title}\n"
        yield f"![{plot.title}]({name}/{plot.name}.svg)\n"
        yield f"{plot.caption}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("study", type=Path)
    parser.add_argument("gallery", type=Path)
    arguments = parser.parse_args()
    campaign = open_campaign(arguments.study)
    findings = analyse_study(campaign.study, list(finished(campaign).values()))
    contents = contents_of(findings, campaign.study)
    name = arguments.study.stem
    directory: Path = arguments.gallery / name
    directory.mkdir(parents=True, exist_ok=True)
    for plot in contents.plots[:MOST_IN_TEXT]:
        (directory / f"{plot.name}.svg").write_bytes(FORMATS["svg"](plot.specification))
    file: Path = arguments.gallery / f"{name}.md"
    file.write_text("\n".join(page(contents, name)), encoding="utf-8")
    print(f"wrote {file}")


if __name__ == "__main__":
    main()
