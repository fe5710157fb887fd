"""The first page: what this is, or what waits for who has signed in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache

from fastapi import APIRouter, Request, Response

from singletable_apps.counting import Ballots, Ranking, instant_runoff
from singletable_apps.counting.pictures import Picture, draw_transfers
from singletable_apps.elections.entities import Election
from singletable_apps.elections.pages.dependencies import (
    Standing,
    Visitor,
    standing_of,
)
from singletable_apps.elections.pages.site import ThisSite
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import FEWEST_CANDIDATES

_PLACES = ("Castle", "Garden", "Lake", "Museum")
_GROUPS = (
    (6, ("Lake", "Garden", "Museum", "Castle")),
    (5, ("Museum", "Castle", "Garden", "Lake")),
    (4, ("Garden", "Museum", "Lake")),
    (2, ("Castle", "Museum")),
)


@cache
def sample_count() -> Picture:
    """Round by round: whose ballots go where when the last one drops out."""
    groups = [(Ranking.from_levels([[name] for name in order]), many) for many, order in _GROUPS]
    return draw_transfers(instant_runoff(Ballots.from_counts(_PLACES, groups)))


router = APIRouter()


@dataclass(frozen=True, slots=True)
class Step:
    """What comes next for an election of one's own, and where that is done."""

    words: str
    button: str
    to: str


@dataclass(frozen=True, slots=True)
class Row:
    """An election in a list, and where it stands."""

    election: Election
    standing: Standing
    to: str
    step: Step


@router.get("")
def home(request: Request, site: ThisSite, visitor: Visitor) -> Response:
    """What waits, a word to who is not approved yet, or a word of welcome."""
    if visitor is None:
        return site.pages.render(request, "elections/welcome.html", picture=sample_count())
    if not has_permission(visitor.role, Permission.VIEW_APPLICATION):
        return site.pages.render(request, "elections/awaiting.html", user=visitor)
    found = site.elections.queries.overview(visitor)
    now = site.elections.context.clock()
    own = [_row(one, now) for one in found.own]
    return site.pages.render(
        request,
        "elections/dashboard.html",
        user=visitor,
        overview=found,
        to_vote=[_row(one, now) for one in found.to_vote],
        voted=[_row(one, now) for one in found.voted],
        coming=[_row(one, now) for one in found.coming],
        own=sorted(own, key=lambda row: _ORDER.index(row.standing)),
        # One's own are in the list above.
        ended=[_row(one, now) for one in found.ended if one not in found.own],
    )


# What asks for something first.
_ORDER = (
    Standing.SETUP,
    Standing.ENDED,
    Standing.OPEN,
    Standing.FIXED,
    Standing.WAITING,
    Standing.CLOSED,
)


def _row(election: Election, now: datetime) -> Row:
    standing = standing_of(election, now)
    to = election_url(election)
    return Row(election, standing, to, _next_step(election, standing))


def _next_step(election: Election, standing: Standing) -> Step:
    def step(words: str, button: str, page: str) -> Step:
        return Step(words, button, election_url(election, page))

    match standing:
        case Standing.SETUP if election.candidate_count < FEWEST_CANDIDATES:
            return step("It needs at least two candidates", "Add candidates", "candidates")
        case Standing.SETUP:
            return step("Ready to be launched", "Launch…", "launch")
        case Standing.OPEN:
            return step("Candidates and voters can still change", "Who voted", "voted")
        case Standing.FIXED if election.no_voting_after is None:
            return step("Open until you close it", "Who voted", "voted")
        case Standing.FIXED:
            return step("Closes by itself", "Who voted", "voted")
        case Standing.WAITING:
            return step("Voting has not begun", "Look at it", "")
        case Standing.ENDED:
            return step("Voting has ended", "Count it", "tally")
        case Standing.CLOSED:
            return step("Counted and signed", "Result", "tally")
