"""The HTML report: what it says, what it escapes, how large it is."""

from __future__ import annotations

import argparse
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import vl_convert

from tests import synthetic
from waywiser.cli import report as report_verb
from waywiser.errors import NotSaved
from waywiser.model.run import Run
from waywiser.model.summary import Matrix, Summary
from waywiser.report.figure import specification
from waywiser.report.figures import FIGURES
from waywiser.report.findings import cpu_count, rank_remarks, verdict
from waywiser.report.page import json_for_script, page, script_hash
from waywiser.report.times import imbalance, rank_times


class Page(HTMLParser):
    """The elements, attributes and texts of a page, and its scripts by type."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.text = ""
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            attributes, so_far = self.scripts[-1]
            self.scripts[-1] = (attributes, so_far + data)
        elif self._inside != "style":
            self.text += data

    def count(self, tag: str) -> int:
        return sum(1 for name, _ in self.elements if name == tag)


def hostile() -> tuple[Run, Summary]:
    """A run whose every text wants to be markup."""
    text = synthetic.HOSTILE
    run = synthetic.run(4, argument=text)
    run = run.model_copy(
        update={
            "user": text,
            "directory": text,
            "environment": {"OMPI_MCA_x": text},
            "program": run.program.model_copy(update={"path": "/a/b " + text, "compiler": text}),
        }
    )
    summary = synthetic.summary(4, host=text, lost=(f"Rank 9 on {text} was lost.",))
    functions = {f"MPI_{text}": summary.functions["MPI_Allreduce"], **summary.functions}
    return run, summary.model_copy(update={"functions": functions})


def without_times(summary: Summary) -> Summary:
    """The same ranks, which recorded no time."""
    none = {"wall_seconds": 0.0, "mpi_seconds": 0.0, "init_seconds": 0.0, "finalize_seconds": 0.0}
    ranks = tuple(rank.model_copy(update=none) for rank in summary.per_rank or ())
    functions = {
        name: function.model_copy(
            update={"seconds": 0.0, "sizes": tuple((b, c, 0.0) for b, c, _ in function.sizes)}
        )
        for name, function in summary.functions.items()
    }
    return summary.model_copy(
        update={"wall_seconds": 0.0, "per_rank": ranks, "functions": functions}
    )


def without_messages(summary: Summary) -> Summary:
    return summary.model_copy(update={"matrix": Matrix(bytes=(), messages=())})


def without_calls(summary: Summary) -> Summary:
    return without_messages(
        summary.model_copy(
            update={"functions": {}, "lost": ("0 MPI calls seen: the program calls no MPI.",)}
        )
    )


def test_1024_ranks_fit_in_2_megabytes() -> None:
    html = page(synthetic.run(1024), synthetic.summary(1024))

    assert len(html.encode("utf-8")) < 2_000_000
    assert max(len(Page(html).text), 1) < 200_000, "the tables were not cut"


def test_every_figure_has_its_description_and_its_table() -> None:
    parsed = Page(page(synthetic.run(4), synthetic.summary(4)))

    charts = [a["data-chart"] for a, _ in parsed.scripts if a.get("class") == "specification"]
    assert charts == [f"chart-{figure.name}" for figure in FIGURES]
    assert parsed.count("details") == len(FIGURES)
    assert parsed.count("caption") == parsed.count("table") == len(FIGURES) + 2
    headers = [attributes for tag, attributes in parsed.elements if tag == "th"]
    assert all(attributes.get("scope") in {"row", "col"} for attributes in headers)


def test_no_address_is_loaded() -> None:
    parsed = Page(page(synthetic.run(4), synthetic.summary(4)))

    for tag, attributes in parsed.elements:
        assert not attributes.keys() & {"src", "srcset", "action", "data", "onclick"}, tag
        assert (attributes.get("href") or "#").startswith("#")


def test_the_policy_allows_these_scripts_and_nothing_from_outside() -> None:
    parsed = Page(page(synthetic.run(4), synthetic.summary(4)))
    [policy] = [
        a["content"] or ""
        for tag, a in parsed.elements
        if a.get("http-equiv") == "Content-Security-Policy"
    ]

    assert policy.startswith("default-src 'none'; ")
    assert "http" not in policy
    assert "unsafe-eval" not in policy
    executed = [text for attributes, text in parsed.scripts if "type" not in attributes]
    assert len(executed) == 2
    allowed = re.findall(r"'(sha256-[^']+)'", policy)
    assert allowed == [script_hash(text) for text in executed]


def test_texts_of_the_program_stay_texts() -> None:
    run, summary = hostile()
    tame = Page(page(synthetic.run(4), synthetic.summary(4, lost=("A rank was lost.",))))

    html = page(run, summary)
    parsed = Page(html)

    assert "</script><img" not in html
    assert "\u2028" not in "".join(text for _, text in parsed.scripts)
    assert parsed.count("img") == 0
    assert parsed.count("script") == tame.count("script")
    assert synthetic.HOSTILE in parsed.text
    handlers = [a for _, a in parsed.elements if any(name.startswith("on") for name in a)]
    assert handlers == []


def test_descriptions_hold_hostile_texts_as_data_only() -> None:
    _, summary = hostile()
    with_text = 0
    for figure in FIGURES:
        compiled = vl_convert.vegalite_to_vega(specification(figure, summary))
        values = [source.pop("values", None) for source in compiled["data"]]
        with_text += "onerror" in json.dumps(values)
        # What remains of the compiled description is expressions, scales and marks.
        assert "onerror" not in json.dumps(compiled), figure.name
    assert with_text >= 3


def test_json_in_a_script_cannot_end_it() -> None:
    value = {"</script>": "<!-- & \u2028\u2029 >"}

    text = json_for_script(value)

    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


def test_a_partial_run_says_what_was_lost() -> None:
    sentence = "Rank 2 left no profile: its node was lost."
    summary = synthetic.summary(4, lost=(sentence,), missing=frozenset({2}))

    text = Page(page(synthetic.run(4), summary)).text

    assert "This profile is partial" in text
    assert sentence in text
    assert text.index(sentence) < text.index("wall time")


def test_long_tables_are_cut_and_say_so() -> None:
    text = Page(page(synthetic.run(1024), synthetic.summary(1024))).text

    assert "The first 64 of 1,024 rows." in text
    assert "waywiser show RUN --json --per-rank" in text


@pytest.mark.parametrize(
    ("summary", "says"),
    [
        (synthetic.summary(0), "No rank left a profile."),
        (synthetic.summary(1), "There are no two ranks to compare."),
        (without_messages(synthetic.summary(4)), "No point-to-point message was sent."),
        (without_times(synthetic.summary(4)), "No time was recorded."),
        (without_calls(synthetic.summary(2)), "0 MPI calls seen"),
    ],
    ids=["0 ranks", "1 rank", "no messages", "no times", "no calls"],
)
def test_what_is_not_there_is_said(summary: Summary, says: str) -> None:
    assert says in Page(page(synthetic.run(summary.ranks), summary)).text


def test_the_verdict_says_what_the_numbers_say() -> None:
    text = verdict(synthetic.summary(4)).replace("\u00a0", " ")

    assert text.startswith("30 % of the ranks' time is MPI; most of it in MPI_Allreduce (17 %).")
    assert "Rank 3 on host n0 spends the least of its time in MPI (13 %" in text
    assert "may be" in text


def test_ranks_that_are_alike_get_no_suspect() -> None:
    summary = synthetic.summary(4)
    ranks = summary.per_rank or ()
    same = tuple(ranks[0].model_copy(update={"rank": rank}) for rank in range(4))

    text = verdict(summary.model_copy(update={"per_rank": same}))

    assert "The ranks are alike" in text
    assert "wait for" not in text


def test_the_largest_part_is_not_called_most() -> None:
    summary = synthetic.summary(2)
    functions = {
        name: function.model_copy(update={"seconds": 0.01})
        for name, function in summary.functions.items()
    }

    assert "the largest part of it" in verdict(summary.model_copy(update={"functions": functions}))


def test_imbalance_is_longest_over_mean() -> None:
    times = rank_times(synthetic.summary(2))
    application = [time.application for time in times]

    assert imbalance(times) == pytest.approx(2 * max(application) / sum(application))
    assert imbalance([]) is None


def test_remarks_point_at_the_crowded_rank_and_at_threads() -> None:
    remarks = rank_remarks(synthetic.summary(4).per_rank or ())

    assert remarks[1] == [
        "on a CPU for only 66 % of its wall time",
        "often displaced from its CPU by others",
    ]
    assert "2 threads called MPI" in remarks[2][0]
    assert remarks[0] == remarks[3] == []


def test_ranks_bound_to_one_cpu_are_remarked() -> None:
    ranks = tuple(
        rank.model_copy(update={"cpus": "5"}) for rank in synthetic.summary(2).per_rank or ()
    )

    assert "2 ranks may run on the same 1 CPU" in rank_remarks(ranks)[0]


@pytest.mark.parametrize(
    ("cpus", "count"), [("0", 1), ("0-3,8", 5), ("", None), ("3-1", None), ("<b>", None)]
)
def test_cpu_lists(cpus: str, count: int | None) -> None:
    assert cpu_count(cpus) == count


@pytest.fixture
def _read_run(monkeypatch: pytest.MonkeyPatch) -> None:
    read = (synthetic.run(4), synthetic.summary(4))
    monkeypatch.setattr(report_verb, "read_run", lambda directory: read)


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    report_verb.add_parser(parser.add_subparsers())
    return parser.parse_args(["report", *arguments])


@pytest.mark.usefixtures("_read_run")
def test_the_verb_writes_into_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report_verb.run(parse(str(tmp_path))) == 0

    written = tmp_path / "report.html"
    assert written.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert str(written) in capsys.readouterr().out


@pytest.mark.usefixtures("_read_run")
def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotSaved, match="could not be written"):
        report_verb.run(parse(str(tmp_path), "-o", str(tmp_path / "no" / "such" / "r.html")))
