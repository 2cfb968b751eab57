"""`waywiser study ACTION FILE`: a whole campaign from one file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from waywiser.analyse.study import analyse_study
from waywiser.apps.table import APPLICATIONS
from waywiser.cli.arguments import JSON, add_action, named
from waywiser.errors import InvalidCommand, NotSaved, not_read
from waywiser.report.gate import gate_sentences
from waywiser.report.study.guidelines import guideline_lines
from waywiser.study.campaign import Campaign, open_campaign
from waywiser.study.check import check
from waywiser.study.convert import from_script
from waywiser.study.local import Tally, run_study
from waywiser.study.peak import with_peak
from waywiser.study.plan import plan_lines, plan_of, typical_seconds
from waywiser.study.reconcile import reconcile
from waywiser.study.remark import Remark
from waywiser.study.standing import standing_of
from waywiser.study.starter import starter_text
from waywiser.study.status import finished, status_lines, status_of
from waywiser.study.submit import first_scripts, scripts, submit
from waywiser.units import bytes_text, counted

STUDY = """
file FILE  study file, or the study's directory
-o, --output DIR  directory for the study's runs (default: FILE with the suffix .study)
"""
FAILED = "--failed  also re-run failed runs"
REPORT = """
--to FILE  page to write (default: report.html in the study's directory)
--pdf FILE  also write the report as PDF
--plots DIR  also write each plot as SVG, PNG and PDF
--json  print the findings as JSON instead
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Run the campaign that a study file describes, on this machine or through a batch "
        "system, and report on it."
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="study_action")
    add_action(
        actions,
        "init",
        _init,
        "write a study file to start from",
        """
        file FILE  study file to write
        --from JOB.SH  Slurm job script to convert; problems found in it are reported
        --cores N  cores of a node, where the script asks its nodes for the number
        """,
        {Path: "file from", int: "cores"},
        {"from": {"dest": "script"}, "cores": 0},
    )
    for name, run, line, text in (
        ("check", _check, "check the study file, and print its plan and scripts", ""),
        ("run", _run, "run the study on this machine", FAILED),
        ("resume", _resume, "resume an interrupted study on this machine", FAILED),
        ("submit", _submit, "submit the missing runs to the batch system", FAILED),
        ("collect", _collect, "keep the results of runs that have ended", ""),
        ("status", _status, "show the progress of the study", JSON),
        ("report", _report, "write the study's report (HTML, optionally PDF)", REPORT),
    ):
        add_action(
            actions,
            name,
            run,
            line,
            STUDY + text,
            {Path: "file to pdf plots", named: "output"},
            description=f"{line[0].upper()}{line[1:]}.",
        )
    # The name of --plots until 1.0.
    report = actions.choices["report"]
    report.add_argument("--figures", dest="plots", type=Path, help=argparse.SUPPRESS)


def _init(arguments: argparse.Namespace) -> int:
    file: Path = arguments.file
    remarks: Sequence[Remark] = ()
    text = starter_text()
    if arguments.script is not None:
        try:
            script = arguments.script.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise InvalidCommand(f"--from {not_read(arguments.script, error)}") from error
        text, remarks = from_script(
            script,
            arguments.script.name,
            arguments.script.parent,
            cores_per_node=arguments.cores,
            readers=_readers(),
        )
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except OSError as error:
        raise InvalidCommand(f"{file}: {error.strerror}; give another name") from error
    for remark in remarks:
        print(f"{arguments.script}: {remark}")
    print(f"wrote {file}; `waywiser study check {file}` checks it")
    return 0


def _check(arguments: argparse.Namespace) -> int:
    campaign = _campaign(arguments)
    remarks = _remarks(campaign)
    configurations = tuple(campaign.configurations.values())
    known = [run for _, run in campaign.runs() if run] if campaign.directory.exists else []
    print("\n".join(plan_lines(plan_of(campaign.study, configurations, typical_seconds(known)))))
    errors = [remark for remark in remarks if remark.level == "error"]
    if not errors:
        for name, text in scripts(campaign):
            print(f"\n----- {name}\n{text}", end="")
    if remarks:
        print()
    for remark in remarks:
        print(remark)
    if errors:
        raise InvalidCommand(f"{arguments.file}: {counted(len(errors), 'error')}")
    return 0


def _remarks(campaign: Campaign) -> list[Remark]:
    return check(
        campaign.study, tuple(campaign.configurations.values()), campaign.origin, _readers()
    )


def _readers() -> dict[str, str]:
    """Headline of each application whose output can be read."""
    return {name: reader.headline for name, reader in APPLICATIONS.items()}


def _refuse_errors(campaign: Campaign, file: Path) -> None:
    """Refuses a study with errors before its first run.

    Raises:
        InvalidCommand: the study has an error.
    """
    errors = [remark for remark in _remarks(campaign) if remark.level == "error"]
    if errors:
        others = f" (and {counted(len(errors) - 1, 'more error')})" if len(errors) > 1 else ""
        raise InvalidCommand(f"{file}: {errors[0].key}: {errors[0].text}{others}")


def _run(arguments: argparse.Namespace) -> int:
    campaign = _campaign(arguments)
    _is_local(campaign, expected=True)
    _refuse_errors(campaign, arguments.file)
    try:
        tally = run_study(campaign, retry_failed=arguments.failed)
    except KeyboardInterrupt:
        print(
            "\nwaywiser: interrupted; the run that was under way will be made again by "
            f"`waywiser study resume {arguments.file}`",
            file=sys.stderr,
        )
        return 130
    except NotSaved as error:
        raise InvalidCommand(
            f"{error}; what was done is kept: make room, and `waywiser study resume "
            f"{arguments.file}`"
        ) from error
    return _conclude(campaign, tally)


def _resume(arguments: argparse.Namespace) -> int:
    _started(arguments)
    return _run(arguments)


def _submit(arguments: argparse.Namespace) -> int:
    campaign = _campaign(arguments)
    _is_local(campaign, expected=False)
    _refuse_errors(campaign, arguments.file)
    with campaign.locked(_say):
        standing = reconcile(campaign, retry_failed=arguments.failed)
        new, waiting = submit(campaign, standing)
    for job in new:
        runs = counted(sum(map(len, job.tasks)), "run")
        print(f"{job.name}: job {job.id}, {runs}")
    if waiting:
        print(
            f"{counted(waiting, 'run')} more than the queue takes from one user: submit again when "
            "some of these are done"
        )
    if not new and not waiting:
        print("nothing to submit: every run is done, or in a job")
    if stopped := sorted(campaign.stopped(standing.done)):
        _say(f"the warm-up failed of {', '.join(stopped)}; --failed makes these runs again")
    return 0


def _collect(arguments: argparse.Namespace) -> int:
    campaign = _started(arguments)
    with campaign.directory.locked(_say):
        standing = reconcile(campaign)
    print(f"{counted(len(standing.done), 'run')} collected")
    return 0


def _status(arguments: argparse.Namespace) -> int:
    campaign = _started(arguments)
    status = status_of(campaign, standing_of(campaign))
    print(status.model_dump_json(indent=1) if arguments.json else "\n".join(status_lines(status)))
    return 0


def _report(arguments: argparse.Namespace) -> int:
    # The plots take longer to import than the other actions, which jobs run often, take.
    from waywiser.report.study.write import write_study_report

    campaign = _started(arguments)
    study = with_peak(campaign.study, campaign.origin)
    findings = analyse_study(study, list(finished(campaign).values()))
    if arguments.json:
        print(findings.model_dump_json(indent=1))
        return 0
    page = arguments.to or campaign.directory.path / "report.html"
    try:
        written = write_study_report(
            findings,
            campaign.study,
            page,
            study_file=campaign.text,
            scripts=first_scripts(campaign),
            pdf_output=arguments.pdf,
            plots=arguments.plots,
        )
    except OSError as error:
        raise InvalidCommand(
            f"{error.filename or page}: {error.strerror}; give files in directories that you may "
            "write to"
        ) from error
    for line in gate_sentences(findings.gate):
        print(line)
    for path in written[:2]:
        print(f"wrote {path} ({bytes_text(path.stat().st_size)})")
    for line in (
        *guideline_lines(findings),
        *(cheapest.statement for cheapest in findings.cheapest),
    ):
        print(line)
    return 0


def _campaign(arguments: argparse.Namespace) -> Campaign:
    return open_campaign(arguments.file, arguments.output)


def _started(arguments: argparse.Namespace) -> Campaign:
    campaign = _campaign(arguments)
    if not campaign.directory.exists:
        raise InvalidCommand(
            f"{campaign.directory.path}: there is no such study; `waywiser study run "
            f"{arguments.file}` begins it"
        )
    return campaign


def _is_local(campaign: Campaign, *, expected: bool) -> None:
    resources = campaign.study.resources
    if resources.local != expected:
        verb = "submit` submits its jobs" if expected else "run` makes its runs"
        raise InvalidCommand(
            f'resources.scheduler is "{resources.scheduler}": `waywiser study {verb}'
        )


def _say(sentence: str) -> None:
    print(f"waywiser: {sentence}", file=sys.stderr)


def _conclude(campaign: Campaign, tally: Tally) -> int:
    """Prints the number of runs by outcome and returns the exit code."""
    if tally.why_missing:
        raise InvalidCommand(
            f"{tally.why_missing}: {counted(tally.missing, 'run')} of the study not made, "
            f"{tally.done} done are kept in {campaign.directory.path}"
        )
    failed = f", {counted(tally.failed, 'run')} failed" if tally.failed else ""
    if tally.not_made:
        failed += (
            f", {counted(tally.not_made, 'run')} not made since the configuration's warm-up failed"
        )
    _say(
        f"{counted(tally.done, 'run')} done{failed}; see `waywiser study report "
        f"{campaign.directory.path.name}`"
    )
    return 1 if tally.failed else 0
