"""The time in which votes are accepted: from its beginning on, and up to its end, not at it."""

from __future__ import annotations

from datetime import datetime

from singletable_apps.elections.entities import Election
from singletable_apps.elections.errors import Invalid
from singletable_apps.elections.rules.wording import moment

YEARS = range(1970, 9999)


def has_begun(election: Election, now: datetime) -> bool:
    """Whether the window is open, or was."""
    return election.no_voting_before is None or election.no_voting_before <= now


def has_ended(election: Election, now: datetime) -> bool:
    """Whether the window is open no more."""
    return election.no_voting_after is not None and election.no_voting_after <= now


def check_window(before: datetime | None, after: datetime | None) -> None:
    """Refuse unless the window is one: it ends after it begins, and says in which zone."""
    for field, when in (("no_voting_before", before), ("no_voting_after", after)):
        if when is None:
            continue
        if when.utcoffset() is None:
            raise Invalid(
                f"{field} is {when.isoformat()}, without a time zone, and so another moment in "
                f"every place. Write the zone too, like {when.isoformat()}Z for UTC.",
                field=field,
            )
        if when.year not in YEARS:
            raise Invalid(
                f"{field} is in the year {when.year}; it must be from {YEARS.start} to "
                f"{YEARS.stop - 1}. Choose a moment in these years, or none.",
                field=field,
            )
    if before is not None and after is not None and before >= after:
        raise Invalid(
            f"Voting would end ({moment(after)}) no later than it begins ({moment(before)}). "
            "Choose a later end, or an earlier beginning.",
            field="no_voting_after",
        )
