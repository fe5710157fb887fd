"""Files to take along, each with what it is good for."""

from __future__ import annotations

from singletable_apps.polls.entities import Poll
from singletable_apps.shared.counted import File, formats_for

EXPORT = "/api/polls/{}/export/{}"
_OFFERED = {
    "csv": File("Rankings", "A spreadsheet: how often each ranking was voted for.", "csv", "csv"),
    "json": File("The result", "All of this page as data, and every ranking.", "json", "json"),
    "abif": File("ABIF", "Text that people can read, and other programs count.", "abif", "abif"),
    "rctab": File("RCTab rounds", "RCVis draws the rounds from it.", "json", "rctab"),
}


def files_of(poll: Poll, vote_id: str = "") -> list[File]:
    """Every file of the poll, for those who have voted if need be.

    ABIF has no way to say brackets, which are in some options.
    """
    who = f"?vote={vote_id}" if vote_id else ""
    can_hold = {*formats_for(poll.candidates, []), "json", "rctab"}
    return [
        File(file.title, file.good_for, file.ending, EXPORT.format(poll.id, form) + who)
        for form, file in _OFFERED.items()
        if form in can_hold
    ]
