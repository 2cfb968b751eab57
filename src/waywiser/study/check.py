"""Checks a study for mistakes before its first run: a table of rules, each a function.

A new rule is a function in `rules/`, from a `Subject` to its remarks, and a line in `RULES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from waywiser.model.study import Study
from waywiser.study.configurations import Configuration
from waywiser.study.remark import Remark
from waywiser.study.rules import cores, design, openmp, programs, resources, texts, variables
from waywiser.study.rules.subject import Subject

Rule = Callable[[Subject], Iterable[Remark]]

RULES: dict[str, Rule] = {
    "a text names a value that no configuration has": texts.undefined_names,
    "an axis changes nothing": texts.idle_axes,
    "an axis has a value twice": design.repeated_values,
    "an application or library has no configuration": design.without_configurations,
    "a value is excluded that no axis has": design.excluded_values,
    "the report is about a metric that nothing has": design.reported_metrics,
    "nodes of unknown size": cores.unknown_nodes,
    "several nodes without a scheduler": cores.nodes_of_one_machine,
    "ranks that cannot be spread over the nodes": cores.uneven_nodes,
    "more ranks than slots": cores.ranks_exceed_cores,
    "ranks and threads that do not fit the cores": cores.threads_exceed_cores,
    "no core left for a communication thread": cores.no_free_core,
    "a communication thread that nobody left a core for": cores.forgotten_free_core,
    "OMP_NUM_THREADS is not the threads axis": openmp.thread_count,
    "OMP_PLACES and OMP_PROC_BIND contradict": openmp.places,
    "pinning of another size than a rank": openmp.pinning_domain,
    "a misspelt variable of a known library": variables.misspelt,
    "a variable of another library": variables.of_another_library,
    "no launcher": programs.launchers,
    "a launcher that refuses root": programs.refused_root,
    "several ranks without a launcher": programs.several_ranks_alone,
    "no executable": programs.executables,
    "a workload that is unknown or not built": programs.workloads,
    "a program that is linked to another MPI": programs.pairs,
    "missing inputs": programs.inputs,
    "an unknown machine, or one without a peak": programs.machine,
    "an unknown reader": programs.readers,
    "a headline that is not a metric": programs.headlines,
    "weak scaling whose work per rank varies": design.weak_scaling,
    "too few blocks for an interval": design.few_blocks,
    "nothing to compare": design.comparison,
    "options of a profile that is not made": design.profile_options,
    "a time limit that is too short": resources.time_limit,
    "a budget that does not last": resources.budget,
    "arrays where there are none": resources.arrays,
    "options that the batch script sets itself": resources.own_options,
}


def check(
    study: Study,
    configurations: tuple[Configuration, ...],
    directory: Path,
    readers: Mapping[str, str] | None = None,
) -> list[Remark]:
    """All remarks on a study, errors first.

    Args:
        directory: directory of the study file, to which programs and inputs are relative.
        readers: name -> headline of the applications whose output can be read; None skips the
            checks that depend on them.
    """
    subject = Subject(study, configurations, directory, readers)
    remarks = dict.fromkeys(remark for rule in RULES.values() for remark in rule(subject))
    return sorted(remarks, key=lambda remark: remark.level != "error")
