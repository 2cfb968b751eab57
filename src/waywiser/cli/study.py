"""`waywiser study VERB FILE`: a whole campaign from one file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.study.campaign import Campaign, open_campaign
from waywiser.study.local import Tally, run_study
from waywiser.study.status import status_lines, status_of
from waywiser.units import counted


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "study",
        help="a campaign of runs from one file: checked, run, resumed, reported",
        description="A study file says what is run with what, and how often; one command runs it, "
        "and one writes the paper.",
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION", dest="study_action")
    run = _action(actions, "run", _run, "make the runs, on this machine")
    run.add_argument("--failed", action="store_true", help="also run again what failed")
    resume = _action(actions, "resume", _resume, "go on with a study that was interrupted")
    resume.add_argument("--failed", action="store_true", help="also run again what failed")
    status = _action(actions, "status", _status, "how far it is")
    status.add_argument("--json", action="store_true", help="print it as JSON")


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    action: Callable[[argparse.Namespace], int],
    what: str,
) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=what, description=what[0].upper() + what[1:] + ".")
    parser.add_argument(
        "file", type=Path, metavar="FILE", help="the study file, or the study's folder"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="DIR",
        help="folder of the study's runs; FILE with the suffix .study if not given",
    )
    parser.set_defaults(action=action)
    return parser


def _campaign(arguments: argparse.Namespace) -> Campaign:
    return open_campaign(arguments.file, arguments.output)


def _run(arguments: argparse.Namespace) -> int:
    campaign = _campaign(arguments)
    _only_here(campaign)
    try:
        tally = run_study(campaign, retry_failed=arguments.failed)
    except KeyboardInterrupt:
        print(
            "\nwaywiser: interrupted; the run that was under way will be made again by "
            f"`waywiser study resume {arguments.file}`",
            file=sys.stderr,
        )
        return 130
    return _conclude(campaign, tally)


def _resume(arguments: argparse.Namespace) -> int:
    campaign = _begun(arguments)
    _only_here(campaign)
    return _run(arguments)


def _status(arguments: argparse.Namespace) -> int:
    status = status_of(_begun(arguments))
    print(status.model_dump_json(indent=1) if arguments.json else "\n".join(status_lines(status)))
    return 0


def _begun(arguments: argparse.Namespace) -> Campaign:
    campaign = _campaign(arguments)
    if not campaign.directory.exists:
        raise InvalidCommand(
            f"{campaign.directory.path}: there is no such study; `waywiser study run "
            f"{arguments.file}` begins it"
        )
    return campaign


def _only_here(campaign: Campaign) -> None:
    scheduler = campaign.study.resources.scheduler
    if scheduler != "local":
        raise InvalidCommand(
            f'resources.scheduler is "{scheduler}": `waywiser study submit` submits its jobs; '
            '`run` and `resume` are for "local"'
        )


def _conclude(campaign: Campaign, tally: Tally) -> int:
    """Says what came of it; the exit code."""
    if tally.why_missing:
        raise InvalidCommand(
            f"{tally.why_missing}: {counted(tally.missing, 'run')} of the study not made, "
            f"{tally.done} done are kept in {campaign.directory.path}"
        )
    failed = f", {counted(tally.failed, 'run')} failed" if tally.failed else ""
    print(
        f"waywiser: {counted(tally.done, 'run')} done{failed}; see `waywiser study report "
        f"{campaign.directory.path.name}`",
        file=sys.stderr,
    )
    return 1 if tally.failed else 0
