"""The frame of every page about one election: its name, where it stands, and its tabs.

A handler:  site.pages.page(request, "elections/x.html", **framed(site, election, user, "tally"), …)
A template: {% extends "elections/election_frame.html" %} {% block tab %} … {% endblock %}

`framed` gives `election`, `standing` and `tabs`; the last word is the tab that is open, as in the
address: "" (Overview), candidates, voters, ballot, tally, voted, settings.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.site import Site
from singletable_apps.elections.roles import Permission, has
from singletable_apps.elections.rules import check_owner, has_begun, has_ended, same, state_of
from singletable_apps.elections.states import State
from singletable_apps.shared.pages import Link


class Standing(StrEnum):
    """Where an election stands for who looks at it, its window included."""

    SETUP = "setup"
    WAITING = "waiting"
    OPEN = "open"
    FIXED = "fixed"
    ENDED = "ended"
    CLOSED = "closed"


_BY_STATE = {
    State.SETUP: Standing.SETUP,
    State.EDITABLE: Standing.OPEN,
    State.FIXED: Standing.FIXED,
    State.CLOSED: Standing.CLOSED,
}

_TABS = (
    ("", "Overview"),
    ("candidates", "Candidates"),
    ("voters", "Voters"),
    ("ballot", "Ballot"),
    ("tally", "Tally"),
    ("voted", "Who voted"),
)


def standing_of(election: Election, now: datetime) -> Standing:
    """Where the election stands now."""
    if election.allow_vote and not has_begun(election, now):
        return Standing.WAITING
    if election.allow_vote and has_ended(election, now):
        return Standing.ENDED
    return _BY_STATE[state_of(election)]


def is_owner(viewer: User, election: Election) -> bool:
    """Whether the election is the viewer's, and they may still conduct it."""
    return same(viewer.name, election.owner_name) and has(viewer.role, Permission.USE_APPLICATION)


def may_settle(viewer: User, election: Election) -> bool:
    """Whether there is something in the settings that the viewer may do."""
    return is_owner(viewer, election) or has(viewer.role, Permission.MANAGE_USERS)


def check_settles(viewer: User, election: Election) -> None:
    """Refuse unless there is something in the settings that the viewer may do."""
    if not may_settle(viewer, election):
        check_owner(viewer, election)


def election_links(election: Election, viewer: User, here: str) -> list[Link]:
    """The tabs of an election, for who looks at it."""
    tabs = [*_TABS, ("settings", "Settings")] if may_settle(viewer, election) else [*_TABS]
    return [Link(text, election_address(election, tab), tab == here) for tab, text in tabs]


def framed(site: Site, election: Election, viewer: User, here: str) -> dict[str, object]:
    """What the frame needs."""
    return {
        "election": election,
        "standing": standing_of(election, site.elections.office.clock()),
        "tabs": election_links(election, viewer, here),
    }
