"""The HTML report: what it says, what it escapes, how large it is."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
import vl_convert

from tests import synthetic, synthetic_pages, synthetic_study
from tests.synthetic_sections import with_everything
from waywiser.model.run import Conditions, Run
from waywiser.model.summary import NOTHING_SENT, FunctionTotal, Summary, SummaryMpi
from waywiser.report.drawing.plot import Table
from waywiser.report.frame import json_for_script, script_hash
from waywiser.report.run.page import page, provenance
from waywiser.report.run.run_plots import drawn_plots


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
    run = run.replace(
        user=text,
        directory=text,
        environment={"OMPI_MCA_x": text},
        program=run.program.replace(path="/a/b " + text, compiler=text),
    )
    summary = synthetic.summary(4, host=text, lost=(f"Rank 9 on {text} was lost.",))
    functions = {f"MPI_{text}": summary.functions["MPI_Allreduce"], **summary.functions}
    return run, summary.replace(functions=functions)


def without_times(summary: Summary) -> Summary:
    """The summary of the same ranks without recorded times."""
    none = {"wall_seconds": 0.0, "mpi_seconds": 0.0, "init_seconds": 0.0, "finalize_seconds": 0.0}
    ranks = tuple(rank.replace(**none) for rank in summary.per_rank or ())
    functions = {
        name: function.replace(seconds=0.0, sizes=tuple((b, c, 0.0) for b, c, _ in function.sizes))
        for name, function in summary.functions.items()
    }
    return summary.replace(wall_seconds=0.0, per_rank=ranks, functions=functions)


def without_messages(summary: Summary) -> Summary:
    return summary.replace(matrix=NOTHING_SENT)


def without_calls(summary: Summary) -> Summary:
    return without_messages(
        summary.replace(functions={}, lost=("0 MPI calls seen: the program calls no MPI.",))
    )


def test_1024_ranks_fit_in_2_megabytes() -> None:
    html = synthetic_pages.of(1024)

    assert len(html.encode("utf-8")) < 2_000_000
    assert max(len(Page(html).text), 1) < 200_000, "the tables were not cut"


def test_1024_ranks_that_all_talk_fit_in_2_megabytes() -> None:
    html = synthetic_pages.of_dense(1024)

    assert len(html.encode("utf-8")) < 2_000_000
    text = Page(html).text
    assert "A square stands for 2 by 2 ranks" in text
    assert "The first 100 of 1,047,552 rows." in text


def test_every_plot_has_its_description_and_its_table() -> None:
    parsed = Page(synthetic_pages.of_everything())

    plots = list(drawn_plots(with_everything()))
    drawn = [plot.name for plot in plots if plot.chart is not None]
    charts = [a["data-chart"] for a, _ in parsed.scripts if a.get("class") == "specification"]
    assert len(charts) == len(drawn)
    assert set(charts) == {f"chart-{name}" for name in drawn}
    licences = 1
    assert parsed.count("details") == len(drawn) + licences
    assert parsed.count("caption") == parsed.count("table") == len(plots) + 3
    headers = [attributes for tag, attributes in parsed.elements if tag == "th"]
    assert all(attributes.get("scope") in {"row", "col"} for attributes in headers)


def test_no_address_is_loaded() -> None:
    parsed = Page(synthetic_pages.of(4))

    for tag, attributes in parsed.elements:
        assert not attributes.keys() & {"src", "srcset", "action", "data", "onclick"}, tag
        assert (attributes.get("href") or "#").startswith("#")


def test_the_policy_allows_these_scripts_and_nothing_from_outside() -> None:
    parsed = Page(synthetic_pages.of(4))
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
    everything = with_everything(synthetic.HOSTILE)
    functions = {**summary.functions, **everything.functions}
    summary = everything.replace(functions=functions, per_rank=summary.per_rank, lost=summary.lost)
    with_text = 0
    for plot in (drawn for drawn in drawn_plots(summary) if drawn.chart is not None):
        compiled = vl_convert.vegalite_to_vega(plot.specification)
        values = [source.pop("values", None) for source in compiled["data"]]
        with_text += "onerror" in json.dumps(values)
        # What remains of the compiled description is expressions, scales and marks.
        assert "onerror" not in json.dumps(compiled), plot.name
    assert with_text >= 5


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


EXIT_CODE = "the program ended with exit code 3"


FAILED = "; the program failed (exit code 3)"


@pytest.mark.parametrize(
    ("status", "lost", "missing", "heading"),
    [
        ("complete", (EXIT_CODE,), set(), f"This profile is complete{FAILED}"),
        ("complete", (EXIT_CODE, "7 calls lost"), set(), f"Not everything was recorded{FAILED}"),
        ("partial", (EXIT_CODE,), {2}, f"This profile is partial{FAILED}"),
        ("partial", ("rank 2 did not finalise",), set(), "This profile is partial"),
    ],
)
def test_a_failed_program_is_distinguished_from_a_partial_profile(
    status: str, lost: tuple[str, ...], missing: set[int], heading: str
) -> None:
    summary = synthetic.summary(4, lost=lost, missing=frozenset(missing)).replace(
        status=status, exit_code=3 if EXIT_CODE in lost else None
    )

    parsed = Page(page(synthetic.run(4), summary))

    assert heading in parsed.text
    assert EXIT_CODE not in lost or EXIT_CODE in parsed.text


def test_a_run_without_mpi_is_called_so() -> None:
    why = "0 MPI calls seen: echo never called MPI_Init"
    unknown = SummaryMpi(library="unknown", version="unknown", abi="unknown")
    nothing = synthetic.summary(0, lost=(why,)).replace(mpi=unknown)

    parsed = Page(page(synthetic.run(0), nothing))

    assert parsed.text.count("No MPI call was seen") == 3, "title, headline and box"
    assert why in parsed.text
    assert "0 ranks" not in parsed.text
    assert "unknown" not in parsed.text
    assert parsed.count("dl") == 0


def test_times_keep_their_nanoseconds() -> None:
    table = Table("", ("a", "b", "c"), ((487e-9, 2.5, 3), (1.0, 1e-6, 4)))

    assert table.decimals == (9, 6, 6)
    assert Table("", ("a", "b"), ()).decimals == (6, 6)
    summary = synthetic.summary(1)
    send = FunctionTotal(**dict(synthetic.function({8: 1}, 487e-9)))
    functions = {"MPI_Send": send}
    text = Page(page(synthetic.run(1), summary.replace(functions=functions))).text
    assert "0.000000487" in text


def test_provenance_has_digits_that_mean_something() -> None:
    conditions = Conditions(
        wall_seconds=12.345678901234,
        cpu_seconds=0.1 + 0.2,
        busy_seconds=1234567.89,
        stolen_seconds=0.0,
        involuntary_switches=1234567,
        load_average=1e-5 / 3,
    )
    run = synthetic.run(4).replace(conditions=conditions)

    texts = {
        name.removeprefix("conditions."): text
        for name, text in provenance(run)
        if name.startswith("conditions.")
    }

    assert texts == {
        **{"wall_seconds": "12.3", "cpu_seconds": "0.300", "busy_seconds": "1,234,568"},
        **{"stolen_seconds": "0", "involuntary_switches": "1234567"},
        "load_average": "0.00000333",
    }


def test_provenance_of_a_studys_run_is_its_place_in_the_study() -> None:
    study = synthetic_study.study(synthetic_study.LAMMPS)
    run = synthetic_study.runs(study, synthetic_study.Truth())[0]

    fields = dict(provenance(run))

    assert run.result is not None
    assert fields["result.configuration"] == run.result.configuration
    assert fields["result.values.ranks"] == str(run.result.values["ranks"])
    assert not [name for name in fields if name.startswith(("result.reading", "result.mpi"))]


def test_provenance_speaks_no_python() -> None:
    run = synthetic.run(4).replace(ended=None, exit_code=None)

    fields = dict(provenance(run))

    assert fields["anonymised"] == "no"
    assert fields["program.arguments"] == "nx=100 verify=1"
    assert not {"ended", "exit_code", "state_directory", "notes"} & fields.keys()
    assert not {"None", "True", "False", ""} & set(fields.values())


def test_long_tables_are_cut_and_say_so() -> None:
    text = Page(synthetic_pages.of(1024)).text

    assert "The first 64 of 1,024 rows." in text
    assert "waywiser show RUN --json --per-rank" in text


@pytest.mark.parametrize(
    ("summary", "says"),
    [
        (synthetic.summary(0), "No rank left a profile."),
        (synthetic.summary(1), "There are no two ranks to compare."),
        (without_messages(synthetic.summary(4)), "No point-to-point message was recorded."),
        (without_times(synthetic.summary(4)), "No rank recorded any time."),
        (without_calls(synthetic.summary(2)), "0 MPI calls seen"),
    ],
    ids=["0 ranks", "1 rank", "no messages", "no times", "no calls"],
)
def test_what_is_not_there_is_reported(summary: Summary, says: str) -> None:
    assert says in Page(page(synthetic.run(summary.ranks), summary)).text


def test_captions_say_where_times_are_those_of_threads() -> None:
    threaded = synthetic.summary(4, threads={0: 8, 1: 8, 2: 8, 3: 3})

    text = Page(page(synthetic.run(4), threaded)).text

    assert "of the time of the ranks' MPI threads in MPI" in text
    assert text.count("Where several threads of a rank called MPI") == 3
