"""At the ballot box: whether somebody may vote now, on which paper, and what that will mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from singletable_apps.elections.entities import Ballot, Election, User
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.site import Site
from singletable_apps.elections.roles import Permission, has
from singletable_apps.elections.rules import has_begun, has_ended, is_eligible, state_of
from singletable_apps.elections.states import Publication, State
from singletable_apps.shared.ballot import Choice, Paper


class Way(StrEnum):
    """What stands between somebody and the ballot box, if anything does."""

    CLOSED = "closed"
    ENDED = "ended"
    NO_VOTER = "no voter"
    NOT_LISTED = "not listed"
    NOT_LAUNCHED = "not launched"
    NOT_BEGUN = "not begun"
    FINAL = "final"
    AGAIN = "again"
    FREE = "free"


# From here on one can cast.
OPEN = frozenset({Way.AGAIN, Way.FREE})

_PUBLISHED = {
    Publication.TOTALS: "After the close only totals are published.",
    Publication.ANONYMOUS: "After the close all rankings are published, without names.",
    Publication.CONFIRMATIONS: (
        "After the close all rankings are published, each beside its confirmation and without a "
        "name."
    ),
}


@dataclass(frozen=True, slots=True)
class Polling:
    """An election as one voter meets it: the way, the ballot that is there, and who stands."""

    election: Election
    voter: User
    way: Way
    ballot: Ballot | None
    names: tuple[str, ...]

    @property
    def draft(self) -> str:
        """What a draft is kept under in the browser: nothing of it tells what is in it."""
        return f"elections {self.election.election_id} {self.voter.user_id}"

    @property
    def basis(self) -> str:
        """What a draft is based on: the candidates, and the ballot that it would replace."""
        cast = self.ballot.revision if self.ballot is not None else ""
        return f"{self.election.definition or ''} {cast}"


def polling(site: Site, voter: User, name: str) -> Polling:
    """How a voter meets an election now; closed first, if its time is up."""
    view, now = site.elections.office.view, site.elections.office.clock()
    election = site.elections.results.settled(name)
    ballot = view.ballot(election.name, voter.name)
    listed = election.voter_count > 0 and view.is_listed(election.name, voter.name)
    names = [one.candidate_name for one in view.candidates(election.name)]
    way = way_to(voter, election, listed=listed, ballot=ballot, now=now)
    return Polling(
        election, voter, way, ballot, shuffled(names, election, voter, site.elections.office.keys)
    )


def way_to(
    voter: User, election: Election, *, listed: bool, ballot: Ballot | None, now: datetime
) -> Way:
    """What stands between them: the first thing that waiting or asking would not help past."""
    state = state_of(election)
    if state is State.CLOSED:
        return Way.CLOSED
    if state is not State.SETUP and has_ended(election, now):
        return Way.ENDED
    if not has(voter.role, Permission.VOTE):
        return Way.NO_VOTER
    if not is_eligible(voter, election, listed):
        return Way.NOT_LISTED
    if state is State.SETUP:
        return Way.NOT_LAUNCHED
    if not has_begun(election, now):
        return Way.NOT_BEGUN
    if ballot is None:
        return Way.FREE
    return Way.AGAIN if election.allow_edit else Way.FINAL


def shuffled(names: Sequence[str], election: Election, voter: User, keys: Keys) -> tuple[str, ...]:
    """The names in an order that is this voter's: who stands first on paper gets more votes."""
    whose = (str(election.election_id), str(voter.user_id))
    return tuple(sorted(names, key=lambda name: keys.ballots.hmac("order", *whose, name)))


def paper_of(polling: Polling, choices: Sequence[Choice], key: str) -> Paper:
    """The paper to fill in. The key lets it be cast once, however often it is sent."""
    election = polling.election
    return Paper(
        to=election_address(election, "ballot"),
        choices=tuple(choices),
        means=meaning(election),
        fields={"key": key, "definition": election.definition or ""},
        draft=polling.draft,
        basis=polling.basis,
    )


def meaning(election: Election) -> str:
    """Who will see a ballot that is cast now, and whether it can be changed."""
    return f"{seen_by(election)} {_lasts(election)}"


def seen_by(election: Election) -> str:
    """Who sees what somebody has cast."""
    if election.secret_ballot:
        return (
            "This ballot is secret: others see that you have voted, and never what. "
            + _PUBLISHED[election.publication]
        )
    if election.publication is Publication.CONFIRMATIONS:
        return "This ballot is open: everybody here can see your name beside what you ranked."
    return (
        "This ballot is open: it is not sealed, and those who run this service can read it. "
        + _PUBLISHED[election.publication]
    )


def _lasts(election: Election) -> str:
    if election.allow_edit:
        return "You can cast another one in its place until the election is fixed or closed."
    return "It is final: once cast, it cannot be changed or taken back."
