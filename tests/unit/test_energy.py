"""The energy of nodes in the terminal and in the report, and the remarks on missing values."""

from __future__ import annotations

from tests import synthetic
from waywiser.api.tables import TABLES
from waywiser.model.summary import NodeSummary, Summary
from waywiser.report.run.page import key_metrics
from waywiser.report.run.terminal import summary_text
from waywiser.store.anonymise import anonymise

WHY = "not readable: /sys/class/powercap/intel-rapl:0/energy_uj: permission denied"


def on_nodes(*energies: float | None) -> Summary:
    return synthetic.summary(4).replace(
        nodes=tuple(
            NodeSummary(
                host=f"n{at}",
                observed_seconds=2.5,
                energy_joules=energy,
                unknown={} if energy is not None else {"energy_joules": WHY},
            )
            for at, energy in enumerate(energies)
        )
    )


def shown(summary: Summary) -> str:
    return " ".join(summary_text(summary).split())


def captions(summary: Summary) -> list[str]:
    return [metric.label for metric in key_metrics(summary)]


def test_the_energy_of_all_nodes_is_one_metric() -> None:
    both = on_nodes(1500.0, 500.0)

    assert "; energy 2 kJ " in shown(both)
    assert "energy not" not in shown(both)
    assert "energy of the nodes' CPUs" in captions(both)


def test_the_energy_of_some_nodes_is_not_taken_for_all() -> None:
    partial = on_nodes(1500.0, None)

    assert "; energy 1.50 kJ on 1 of 2 nodes " in shown(partial)
    assert f"energy on 1 of 2 nodes {WHY}" in shown(partial)
    assert "energy of the nodes' CPUs" not in captions(partial)


def test_an_energy_that_is_not_known_is_reported_once_and_never_0() -> None:
    none = on_nodes(None, None)

    assert shown(none).count("energy ") == 1
    assert f"energy {WHY}" in shown(none)
    assert "energy" not in shown(synthetic.summary(4))


def test_the_table_of_nodes_has_a_null_for_what_is_not_known() -> None:
    table = TABLES["nodes"].frame(on_nodes(1500.0, None)).to_pandas()

    assert list(table.columns) == ["host", "observed_seconds", "energy_joules"]
    assert table["energy_joules"].isna().tolist() == [False, True]
    assert table["energy_joules"][0] == 1500.0


def test_nodes_lose_their_names() -> None:
    summary = on_nodes(None)
    ranks = tuple(rank.replace(host="n0") for rank in summary.per_rank or ())

    _, clean = anonymise(synthetic.run(4), summary.replace(per_rank=ranks))

    [node] = clean.nodes
    assert node.host == "host-0"
    assert node.unknown == {"energy_joules": "not readable: (path):(path): permission denied"}
