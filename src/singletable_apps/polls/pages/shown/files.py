"""Files to take along, each with what it is good for."""

from __future__ import annotations

from singletable_apps.polls.service import Outcome
from singletable_apps.shared.counted import File, can_write_rounds, formats_for

EXPORT = "/api/polls/{}/export/{}"
_OFFERED = {
    "csv": File("Rankings", "A spreadsheet: how often each ranking was voted for.", "csv", "csv"),
    "json": File("The result", "All of this page as data, and every ranking.", "json", "json"),
    "abif": File("ABIF", "Text that people can read, and other programs count.", "abif", "abif"),
    "rctab": File("RCTab rounds", "RCVis draws the rounds from it.", "json", "rctab"),
}


def files_of(outcome: Outcome, vote_id: str = "") -> list[File]:
    """Every file of the poll that can be written, for those who have voted if need be.

    ABIF has no way to say brackets, which are in some options; and RCTab's word for votes that
    went to nobody may be the name of one.
    """
    poll = outcome.poll
    who = f"?vote={vote_id}" if vote_id else ""
    can_hold = {*formats_for(poll.candidates, []), "json"}
    if can_write_rounds(outcome.counts.runoff, poll.title):
        can_hold.add("rctab")
    return [
        File(file.title, file.good_for, file.ending, EXPORT.format(poll.id, form) + who)
        for form, file in _OFFERED.items()
        if form in can_hold
    ]
