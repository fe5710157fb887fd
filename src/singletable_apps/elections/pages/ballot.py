"""The ballot: filled in, looked at once more, cast, and taken back while that is possible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

from fastapi import APIRouter, Request, Response

from singletable_apps.elections.api.dependencies import NameInPath
from singletable_apps.elections.entities import Ballot, Election, Publication, State, User
from singletable_apps.elections.errors import IdempotencyKeyReused, InvalidInput
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.pages.dependencies import Viewer, election_context
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import has_begun, has_ended, state_of
from singletable_apps.elections.rules.voting import is_eligible
from singletable_apps.shared.ballot import (
    RANK_PREFIX,
    BallotForm,
    Choice,
    group_by_rank,
    parse_ranks,
    render_ballot_form,
    render_ranking,
)
from singletable_apps.shared.ballot import SubmittedRanks as TypedRanks
from singletable_apps.shared.pages import Form, PostedForm


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
    view, now = site.elections.context.read, site.elections.context.clock()
    election = site.elections.results.close_if_due(name)
    ballot = view.find_ballot(election.name, voter.name)
    listed = election.voter_count > 0 and view.is_listed_voter(election.name, voter.name)
    names = [one.candidate_name for one in view.list_candidates(election.name)]
    way = way_to(voter, election, listed=listed, ballot=ballot, now=now)
    return Polling(
        election, voter, way, ballot, shuffled(names, election, voter, site.elections.context.keys)
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
    if not has_permission(voter.role, Permission.VOTE):
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
    return tuple(sorted(names, key=lambda name: keys.ballot_key.hmac("order", *whose, name)))


def paper_of(polling: Polling, choices: Sequence[Choice], key: str) -> BallotForm:
    """The paper to fill in. The key lets it be cast once, however often it is sent."""
    election = polling.election
    return BallotForm(
        action=election_url(election, "ballot"),
        choices=tuple(choices),
        notice=meaning(election),
        hidden_fields={"key": key, "definition": election.definition or ""},
        draft_key=polling.draft,
        draft_version=polling.basis,
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


router = APIRouter()

SHORTEST_KEY, LONGEST_KEY = 16, 100
CHANGED = (
    "The candidates have changed since this ballot was opened: {changes}. Look at it again; what "
    "you ranked is still there."
)
CAST_BEFORE = (
    "Another ballot has been cast from this page before. This one takes its place, if you say so."
)
NO_KEY = "The form came without its key, which lets it be cast once. Send this one."
NO_PLACE = "Some boxes hold something other than a place."


@router.get("/e/{name}/ballot")
def show_ballot(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """The paper to fill in, or why there is none."""
    found = polling(site, user, name)
    if found.way not in OPEN:
        return _shut(request, site, found)
    ranks = dict(site.elections.queries.rankings(user, found.election.name))
    choices = [Choice(one, str(ranks.get(one) or "")) for one in found.names]
    return _paper(request, site, found, choices)


@router.post("/e/{name}/ballot")
def cast_ballot(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: PostedForm
) -> Response:
    """Cast what was filled in; without a word that it is meant so, show it once more."""
    found, typed = polling(site, user, name), parse_ranks(form.values)
    wrong = _wrong(found, typed, form)
    if form.value("sure") and not wrong:
        return _cast(request, site, found, typed, form.value("key"))
    if found.way not in OPEN:
        return _shut(request, site, found, 409)
    if wrong or form.value("change"):
        return _paper(request, site, found, typed.choices(found.names), wrong)
    return _review(request, site, found, typed, key=form.value("key"))


@router.get("/e/{name}/ballot/withdraw")
def ask_to_withdraw(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """Whether the ballot shall really be taken back."""
    found = polling(site, user, name)
    if found.ballot is None or found.way not in OPEN:
        return site.pages.redirect(request, election_url(found.election, "ballot"))
    return site.pages.render(
        request,
        "confirm.html",
        question="Withdraw your ballot?",
        words=(
            f"Your ballot in “{found.election.name}” will not be counted, and its confirmation "
            "will not be among those signed. You can cast another one while voting lasts."
        ),
        to=election_url(found.election, "ballot", "withdraw"),
        button="Withdraw ballot",
        back=election_url(found.election, "ballot"),
    )


@router.post("/e/{name}/ballot/withdraw")
def withdraw_ballot(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """Take it back."""
    site.elections.voting.withdraw(user, name)
    return site.pages.redirect(
        request,
        election_url(site.elections.context.read.get_election(name), "ballot"),
        "Your ballot has been withdrawn.",
    )


def _cast(request: Request, site: Site, found: Polling, typed: TypedRanks, key: str) -> Response:
    """Cast, and go to the receipt. What was cast by the same key before is there already."""
    try:
        lines = list(typed.ranks.items())
        site.elections.voting.cast(found.voter, found.election.name, lines, key)
    except IdempotencyKeyReused:
        if found.way not in OPEN:
            return _shut(request, site, found, 409)
        return _review(request, site, found, typed, CAST_BEFORE)
    except InvalidInput as refusal:
        return _paper(request, site, found, typed.choices(found.names), str(refusal))
    to = election_url(found.election, "receipt")
    return site.pages.redirect(request, to, "Your ballot has been cast.")


def _wrong(found: Polling, typed: TypedRanks, form: Form) -> str:
    """What is wrong with a form that was sent, if anything is."""
    if not SHORTEST_KEY <= len(form.value("key")) <= LONGEST_KEY:
        return NO_KEY
    if form.value("definition") != (found.election.definition or ""):
        return CHANGED.format(changes=_changes(typed, found))
    return NO_PLACE if typed.errors else ""


def _paper(
    request: Request,
    site: Site,
    found: Polling,
    choices: Sequence[Choice],
    wrong: str = "",
) -> Response:
    paper = paper_of(found, choices, _new_key(site))
    return site.pages.render(
        request,
        "elections/ballot.html",
        422 if wrong else 200,
        **_around(site, found),
        paper=render_ballot_form(paper),
        wrong=wrong,
    )


def _review(
    request: Request,
    site: Site,
    found: Polling,
    typed: TypedRanks,
    note: str = "",
    key: str = "",
) -> Response:
    """The ballot in words, with a button that casts it. A paper that was cast has a new key."""
    ranks = {name: typed.ranks.get(name) for name in found.names}
    levels, rest = group_by_rank(ranks)
    fields = {
        "key": key or _new_key(site),
        "definition": found.election.definition or "",
        **{f"{RANK_PREFIX}{name}": str(rank or "") for name, rank in ranks.items()},
    }
    return site.pages.render(
        request,
        "elections/ballot_review.html",
        409 if note else 200,
        **_around(site, found),
        said=render_ranking(levels, rest),
        blank=not levels,
        fields=fields,
        means=meaning(found.election),
        note=note,
    )


def _shut(request: Request, site: Site, found: Polling, status: int = 200) -> Response:
    return site.pages.render(
        request,
        "elections/ballot_shut.html",
        status,
        **_around(site, found),
        cast=_own(site, found),
    )


def _around(site: Site, found: Polling) -> dict[str, object]:
    """What every page about a ballot has: its frame, its voter's way, and addresses beside it."""
    return {
        **election_context(site, found.election, found.voter, "ballot"),
        "found": found,
        "at": partial(election_url, found.election),
    }


def _own(site: Site, found: Polling) -> Mapping[str, object] | None:
    """One's own ballot in words, if there is one."""
    if found.ballot is None:
        return None
    name = found.voter.name
    cast = site.elections.voting.ballot(found.voter, found.election.name, name)
    ranking = cast.receipt["ranking"]
    ranked = {each for level in ranking for each in level}
    rest = [each for each in cast.receipt["definition"]["candidates"] if each not in ranked]
    return {"when": cast.when_cast, "said": render_ranking(ranking, rest)}


def _changes(typed: TypedRanks, found: Polling) -> str:
    new = [name for name in found.names if name not in typed.texts]
    gone = [name for name in typed.texts if name not in found.names]
    parts = [
        f"{what}: {', '.join(names)}" for what, names in (("new", new), ("gone", gone)) if names
    ]
    return "; ".join(parts) or "one has gone, and come back"


def _new_key(site: Site) -> str:
    return site.elections.context.random(16).hex()
