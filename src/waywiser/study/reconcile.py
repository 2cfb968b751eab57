"""Saves the results of a study's runs and jobs, and sets aside runs that must be repeated."""

from __future__ import annotations

from dataclasses import replace

from waywiser.study.campaign import Campaign
from waywiser.study.collect import keep
from waywiser.study.jobs import files_of, records, remove_record, write_record
from waywiser.study.standing import Standing, standing_of


def reconcile(campaign: Campaign, *, retry_failed: bool = False) -> Standing:
    """Saves the results of ended runs and the states of jobs that are over, and sets aside the
    runs that must be repeated.

    Raises:
        InvalidRun: a job's record is damaged.
        ToolMissing: the batch system does not answer, and jobs may not be over.
    """
    known = {record.name: record for record in records(campaign)}
    for record in known.values():
        if not record.id and not files_of(campaign, record).take_back():
            remove_record(campaign, record)  # the job did not start and never will
    standing = standing_of(campaign, finish=True)
    for job in standing.jobs:
        if job != known[job.name]:
            write_record(campaign, job)
    for place in standing.lost:
        campaign.directory.set_run_aside(place, "lost")
    for place, run in standing.done.items():
        if run != campaign.directory.read(place):
            keep(campaign, place, run)
    done = dict(standing.done)
    for place, run in standing.done.items() if retry_failed else ():
        if run.result and run.result.failures:
            campaign.directory.set_run_aside(place, "failed")
            del done[place]
    return replace(standing, done=done, lost=[])
