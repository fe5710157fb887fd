"""The home page: a welcome for visitors, a dashboard for users; and how votes are counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, partial

from fastapi import APIRouter, Response

from ranked_ballots import Ballots, Ranking, schulze
from ranked_ballots.pictures import Picture, draw_beat_paths
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.pages.dependencies import AnyPage
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import MIN_CANDIDATES, Standing, standing_of
from singletable_apps.elections.rules.methods import METHOD

router = APIRouter()

_SAMPLE = (
    (6, ("Lake", "Garden", "Museum", "Castle")),
    (5, ("Museum", "Castle", "Garden", "Lake")),
    (4, ("Garden", "Museum", "Lake")),
    (2, ("Castle", "Museum")),
)


@cache
def sample_picture() -> Picture:
    """Draw a small election the way it would be decided here."""
    counts = [(Ranking.from_levels([[name] for name in order]), n) for n, order in _SAMPLE]
    return draw_beat_paths(schulze(Ballots.from_counts(sorted(_SAMPLE[0][1]), counts)))


@dataclass(frozen=True, slots=True)
class Row:
    """An election on the dashboard, and what its owner can do next: a sentence and a button."""

    election: Election
    standing: Standing
    url: str
    text: str
    button: str
    button_url: str


@router.get("")
def show_home(page: AnyPage) -> Response:
    """Show the welcome page, the dashboard, or that an administrator has to approve the account."""
    user: User | None = page.visitor
    if user is None:
        return page.render("welcome", picture=sample_picture(), method=METHOD)
    if not has_permission(user.role, Permission.VIEW_APPLICATION):
        return page.render("awaiting_approval", user=user)
    overview = page.service.queries.overview(user)
    row = partial(_row, page)
    own = [row(election) for election in overview.own if election.joint_with is None]
    return page.render(
        "dashboard",
        user=user,
        overview=overview,
        to_vote=[row(election) for election in overview.to_vote],
        voted=[row(election) for election in overview.voted],
        upcoming=[row(election) for election in overview.coming],
        own=sorted(own, key=lambda row: _MOST_URGENT_FIRST.index(row.standing)),
        # The user's own elections are in `own` already.
        closed=[row(election) for election in overview.ended if election not in overview.own],
    )


@router.get("/counting")
def show_counting(page: AnyPage) -> Response:
    """Explain how votes are counted."""
    return page.render("counting", picture=sample_picture(), method=METHOD)


_MOST_URGENT_FIRST = (
    Standing.SETUP,
    Standing.ENDED,
    Standing.OPEN,
    Standing.FIXED,
    Standing.WAITING,
    Standing.CLOSED,
)


_NEXT_STEPS = {
    Standing.SETUP: ("Ready to launch", "Launch…", "launch"),
    Standing.OPEN: ("Closes", "Who voted", "voted"),
    Standing.FIXED: ("Closes", "Who voted", "voted"),
    Standing.WAITING: ("Opens", "View", ""),
    Standing.ENDED: ("Voting has ended", "Results", "tally"),
    Standing.CLOSED: ("Results are in", "Results", "tally"),
}


def _row(page: AnyPage, election: Election) -> Row:
    standing = standing_of(election, page.service.context.clock())
    text, button, part = _NEXT_STEPS[standing]
    if standing is Standing.SETUP and election.candidate_count < MIN_CANDIDATES:
        text, button, part = "Needs at least two candidates", "Add candidates", "candidates"
    if text == "Closes" and election.no_voting_after is None:
        text = "Open until you close it"
    url = partial(page.urls.election, election)
    return Row(election, standing, url(), text, button, url(part))
