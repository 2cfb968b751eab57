"""The report: its numbers are those of the findings, its plots those that the data supports."""

from __future__ import annotations

import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pypdf
import pytest

from tests import synthetic_mpibench
from tests import synthetic_study as synthetic
from tests.synthetic import HOSTILE
from tests.synthetic_plots import specification
from tests.vega_lite import assert_valid
from waywiser.analyse.study import analyse_study
from waywiser.model.configuration_findings import Estimate
from waywiser.model.findings import Findings
from waywiser.model.run import Run
from waywiser.model.study import Study
from waywiser.report.drawing.image_formats import FORMATS
from waywiser.report.study.contents import Contents, contents_of
from waywiser.report.study.document import pdf
from waywiser.report.study.numbers import decimals_for, estimate_text
from waywiser.report.study.page import page
from waywiser.report.study.plots.marks import log_ticks, thinned
from waywiser.report.study.study_plots import PLOTS, drawn_plots
from waywiser.report.study.write import write_study_report

TYPST = '#panic("read as code") $x_1$ @nobody *bold* <label> // comment /* "quoted" \\ ``` #text'
"""Text that Typst would act on wherever it read it as markup."""

CONTROLS = "\x01\x08\x0c\x1b[31m\x07\u2028\ufffe"

FOOT_PT = 60
"""Height of the foot of a page of the PDF."""

STUDY_FILE = 'title = "LAMMPS"\n# ranks x libraries\n'


def analysed(study: Study, truth: synthetic.Truth) -> Findings:
    return analyse_study(study, synthetic.runs(study, truth))


@cache
def lammps() -> tuple[Study, Findings]:
    study = synthetic.study(synthetic.LAMMPS)
    truth = synthetic.Truth(
        slower={"impi": 1.05},
        failures={("mpich-r4", 3): "there is no loop_time in stdout"},
        outliers={("impi-r8", 5): 1.5},
        unreliable=frozenset({("mpich-r2", 2)}),
    )
    return study, analysed(study, truth)


@cache
def studies() -> dict[str, tuple[Study, Findings]]:
    sweep = synthetic.study(synthetic.SWEEP)
    nodes = synthetic.study(synthetic.SEISSOL)
    trade = synthetic.study(synthetic.PROPAGATION)
    collectives = synthetic.study(synthetic_mpibench.LIBRARIES)
    return {
        "collectives": (
            collectives,
            analyse_study(collectives, synthetic_mpibench.runs(collectives)),
        ),
        "lammps": lammps(),
        "sweep": (sweep, analysed(sweep, synthetic.Truth(seconds=bowl))),
        "nodes": (
            nodes,
            analysed(
                nodes, synthetic.Truth(seconds=lambda v: 200 + 4000 / float(v["nodes"]), rate=True)
            ),
        ),
        "trade-off": (
            trade,
            analysed(
                trade,
                synthetic.Truth(
                    seconds=lambda v: float(v["order"]) / float(v["step"]),
                    error=lambda v: 10 * float(v["step"]) / float(v["order"]) ** 2,
                    profile=False,
                    sections=False,
                ),
            ),
        ),
    }


@cache
def contents_of_lammps() -> Contents:
    study, findings = lammps()
    return contents_of(findings, study, STUDY_FILE)


def bowl(values: Any) -> float:
    return 3 + 0.1 * abs(float(values["ndiag"]) - 4) + 0.2 * abs(float(values["ntg"]) - 2)


def drawn_well(svg: str) -> bool:
    return svg.count("<path") + svg.count("<rect") > 5


def test_every_plot_is_drawn_by_some_study() -> None:
    drawn = {
        drawn_plot.name: drawn_plot
        for _, findings in studies().values()
        for drawn_plot in drawn_plots(findings)
    }

    assert len(drawn) == len(PLOTS)
    for plot in drawn.values():
        assert_valid(specification(plot))


@pytest.mark.long
@pytest.mark.parametrize("name", ["sweep", "nodes", "trade-off", "collectives"])
def test_every_supported_plot_is_an_image(name: str) -> None:
    for plot in drawn_plots(studies()[name][1]):
        assert drawn_well(FORMATS["svg"](plot.specification).decode()), plot.name


@pytest.mark.parametrize("name", ["lammps", "sweep", "nodes", "trade-off", "collectives"])
def test_every_supported_plot_has_a_caption_of_numbers(name: str) -> None:
    study, findings = studies()[name]

    for plot in contents_of(findings, study).plots:
        assert re.search(r"\d", plot.caption), plot.name
        assert plot.caption.endswith("."), plot.name
        assert "nan" not in plot.caption.lower().split(), plot.name


def test_a_study_without_a_profile_and_without_sections_has_no_plot_of_them() -> None:
    study = synthetic.study(synthetic.LAMMPS)
    findings = analysed(study, synthetic.Truth(profile=False, sections=False))
    names = {plot.name for plot in drawn_plots(findings)}

    assert {"scaling", "comparison", "runs", "rsd"} <= names
    assert "throughput" not in names, "jobs of seconds are no jobs of a day"
    assert not names & {"mpi-pies", "mpi-functions", "calls", "sizes", "sections"}


def test_one_configuration_with_one_run_makes_a_report() -> None:
    study = synthetic.study(
        synthetic.LAMMPS,
        mpi=["mpich"],
        axes={"ranks": [2]},
        repeats={"blocks": 1, "warm_up": False},
    )
    contents = contents_of(analysed(study, synthetic.Truth()), study)

    assert "comparison" not in {plot.name for plot in contents.plots}
    assert contents.abstract[0].startswith("The study has 1 configuration: 1 valid run in 1")
    assert pdf(contents).startswith(b"%PDF-")


def numbers(text: str) -> list[float]:
    return [float(number.replace(",", "")) for number in re.findall(r"\d[\d,]*\.?\d*", text)]


def test_the_verdicts_of_the_abstract_have_the_numbers_of_the_findings() -> None:
    _, findings = lammps()
    sentence = next(s for s in contents_of_lammps().abstract if "is slower than" in s)
    comparisons = [
        comparison for comparison in findings.comparisons if comparison.metric == "loop_time"
    ]

    assert f"all {len(comparisons)} configurations" in sentence
    for comparison in comparisons:
        change, low, high = (
            100 * abs(x or 0) for x in (comparison.change, comparison.high, comparison.low)
        )
        place = f" at {comparison.at['ranks']} rank"
        before = sentence[: sentence.index(place)]
        quoted = numbers(before[before.rindex("%") - 8 :])[-3:]
        assert quoted == pytest.approx([change, low, high], abs=0.6), comparison.label
        assert quoted[0] == pytest.approx(change, abs=0.06), comparison.label


def test_the_scaling_of_the_abstract_has_the_numbers_of_the_findings() -> None:
    _, findings = lammps()
    sentences = [s for s in contents_of_lammps().abstract if s.startswith("Scaling, ")]

    assert len(sentences) == len(findings.scaling) == 2
    for sentence, scaling in zip(sentences, findings.scaling, strict=True):
        base, last = scaling.points[0], scaling.points[-1]
        assert sentence.startswith(f"Scaling, {scaling.label}: ")
        for estimate, scale in ((base.metric, 1), (last.speedup, 1), (last.efficiency, 100)):
            expected = [scale * x for x in (estimate.value, estimate.low or 0, estimate.high or 0)]
            found_here = numbers(sentence)
            at = next(
                i for i, x in enumerate(found_here) if x == pytest.approx(expected[0], rel=1e-3)
            )
            assert found_here[at : at + 3] == pytest.approx(expected, rel=2e-3)


def test_the_abstract_counts_runs_as_the_findings_do() -> None:
    _, findings = lammps()
    first = contents_of_lammps().abstract[0]

    assert f"{findings.counted} valid runs in 10 randomised blocks" in first
    assert "12 warm-up runs not counted and 1 run failed" in first


def test_a_refused_verdict_is_reported_with_its_reason() -> None:
    study = synthetic.study(synthetic.LAMMPS)
    unreliable = frozenset(
        (f"impi-r{ranks}", b) for ranks in (1, 2, 4, 8, 16, 32) for b in range(6)
    )
    contents = contents_of(analysed(study, synthetic.Truth(unreliable=unreliable)), study)

    refused = contents.abstract[1]
    assert contents.gate[0].startswith(
        "Validity gate failed: 30 of 120 runs, in the first of which 8.0 other tasks"
    )
    assert "6 comparisons of 6 have no verdict (5 of 10 runs" in refused
    assert contents.unreliable is not None
    assert len(contents.unreliable.rows) == 30


def test_the_failed_run_is_in_the_page_with_its_reason() -> None:
    html = page(contents_of_lammps())

    assert "mpich-r4/b003" in html
    assert "there is no loop_time in stdout" in html


def test_an_estimate_has_the_digits_that_its_interval_leaves() -> None:
    wide = Estimate(value=9.9711, low=9.41, high=10.36)

    assert estimate_text(wide, "s") == "9.97 s [9.41, 10.36]"
    assert estimate_text(wide.replace(low=None), "s") == "9.97 s"
    assert decimals_for(0.034, 2.31) == 3
    assert decimals_for(12.0, 3500.0) == 0
    assert decimals_for(1e-9, 12.3) == 2


def test_of_many_runs_those_that_stand_out_are_drawn() -> None:
    runs = [(i % 1000 == 7, i) for i in range(100_000)]
    kept = thinned(runs, 500)

    assert {i for stands_out, i in runs if stands_out} <= set(kept)
    assert len(kept) <= 700


def test_logarithmic_ticks_lie_inside_their_axis() -> None:
    assert log_ticks(0.9, 30) == [1, 2, 5, 10, 20]
    assert log_ticks(1e-9, 1.1) == pytest.approx([10.0**power for power in range(-9, 1)])


def with_text(run: Run, text: str) -> Run:
    """A run in which every name that a program or a user can choose is `text`."""
    result = run.result
    assert result is not None
    reading = result.reading.replace(
        sections=tuple(
            section.replace(name=section.name + text) for section in result.reading.sections
        )
    )
    mpi = result.mpi
    assert mpi is not None
    renamed = mpi.replace(
        functions={name + text: share for name, share in mpi.functions.items()},
        sizes={name + text: sizes for name, sizes in mpi.sizes.items()},
    )
    return run.replace(
        command=(*run.command, text),
        environment={"FI_PROVIDER": text},
        result=result.replace(
            reading=reading, mpi=renamed, failures=tuple(f"{why} {text}" for why in result.failures)
        ),
    )


def hostile(text: str) -> Contents:
    levels = [{"name": f"one {text}"}, {"name": f"two {text}"}]
    study = synthetic.study(
        synthetic.LAMMPS,
        title=f"Title {text}",
        question=f"Why {text}?",
        mpi=["mpich"],
        axes={"ranks": [1, 2], "placement": levels},
        repeats={"blocks": 7},
        report={"author": f"Author {text}", "abstract": f"Words {text}", "compare": "placement"},
    )
    places = {
        run.result.configuration for run in synthetic.runs(study, synthetic.Truth()) if run.result
    }
    failures = {(min(places), 3): "the run failed"}
    runs = [
        with_text(run, text) for run in synthetic.runs(study, synthetic.Truth(failures=failures))
    ]
    scripts = [(f"job {text}.sh", f"echo {text}\n")]
    return contents_of(analyse_study(study, runs), study, f"title = {text!r}\n", scripts)


def test_no_text_becomes_markup_in_the_page() -> None:
    html = page(hostile(HOSTILE))
    outside = re.sub(r"<(script|style).*?</\1>", "", html, flags=re.DOTALL)

    assert "<img" not in outside
    assert "&lt;img src=x onerror=alert(1)&gt;" in outside
    for block in re.findall(
        r'<script type="application/json"[^>]*>(.*?)</script>', html, re.DOTALL
    ):
        json.loads(block)
    # The drawing library, this page's own program, and a description for each plot.
    assert html.count("</script>") == 2 + html.count('class="specification"')


def text_of(document: bytes) -> str:
    pages = pypdf.PdfReader(io.BytesIO(document)).pages
    return re.sub(r"\s+", " ", " ".join(page.extract_text() for page in pages))


def test_no_plot_is_too_tall_for_its_caption_on_a_page() -> None:
    study, findings = studies()["collectives"]
    pages = pypdf.PdfReader(io.BytesIO(pdf(contents_of(findings, study)))).pages

    for number, sheet in enumerate(pages, start=1):
        foot: list[str] = []

        def visit(text: str, place: Any, within: Any, *_: Any, foot: list[str] = foot) -> None:
            # Each letter of a plot is a text of its own, in the plot's coordinates.
            if len(text.strip()) > 1 and within[5] * place[3] + place[5] < FOOT_PT:
                foot.append(text.strip())

        sheet.extract_text(visitor_text=visit)
        assert foot == [findings.title, f"{number} / {len(pages)}"]


def test_neither_markup_nor_control_signs_stop_the_pdf() -> None:
    squeezed = text_of(pdf(hostile(TYPST + CONTROLS))).replace(" ", "")

    for part in ('#panic("readascode")', "$x_1$", "@nobody", "*bold*", "//comment", "```#text"):
        assert part in squeezed, part


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The report, its PDF and its plots."""
    study, findings = lammps()
    directory = tmp_path_factory.mktemp("report")
    return write_study_report(
        findings,
        study,
        directory / "report.html",
        study_file=STUDY_FILE,
        pdf_output=directory / "report.pdf",
        plots=directory / "plots",
    )


def test_the_pdf_says_what_the_page_says(written: list[Path]) -> None:
    _, findings = lammps()
    contents = contents_of_lammps()
    document = written[1].read_bytes()
    text = text_of(document)

    assert document.startswith(b"%PDF-")
    assert document.rstrip().endswith(b"%%EOF")
    about = pypdf.PdfReader(io.BytesIO(document)).metadata
    assert about is not None
    assert about.title == findings.title
    squeezed = re.sub(r"[\s-]", "", text)
    for sentence in contents.abstract:
        assert re.sub(r"[\s-]", "", sentence) in squeezed, sentence
    for plot in contents.plots:
        assert f"{plot.title}." in text
    assert "# ranks x libraries" in text


def test_a_report_is_written_with_all_that_was_requested(written: list[Path]) -> None:
    names = {plot.name for plot in drawn_plots(lammps()[1])}
    assert {path.name for path in written[2:]} == {
        f"{name}.{ending}" for name in names for ending in ("svg", "png", "pdf")
    }
    assert all(path.stat().st_size > 100 for path in written)
    images = [path for path in written if path.suffix == ".svg"]
    assert all(drawn_well(path.read_text(encoding="utf-8")) for path in images)
    assert [path.name for path in written[:2]] == ["report.html", "report.pdf"]
    assert "# ranks x libraries" in written[0].read_text(encoding="utf-8")
