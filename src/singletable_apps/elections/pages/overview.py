"""The first page about an election: where it stands, what is settled, and what to do next."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request, Response

from singletable_apps.elections.entities import Election
from singletable_apps.elections.pages.dependencies import (
    CurrentElection,
    Standing,
    Viewer,
    election_context,
    is_owner,
    standing_of,
)
from singletable_apps.elections.pages.settings import BALLOT_DESCRIPTIONS, describe_publication
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.proofs import format_fingerprint
from singletable_apps.elections.rules.elections import describe_status
from singletable_apps.elections.service.queries import Participation

FEWEST_CANDIDATES = 2


@dataclass(frozen=True, slots=True)
class Step:
    """A step: what it is, why, and where it is taken; nowhere if there is only to wait."""

    title: str
    text: str
    button: str = ""
    to: str = ""
    done: bool = False


def next_step(election: Election, standing: Standing, part: Participation, *, owner: bool) -> Step:
    """The next step of who looks at the election; `owner` if it is theirs."""
    match standing:
        case Standing.SETUP:
            return _prepare(election) if owner else _wait_for_launch(election)
        case Standing.WAITING:
            return _wait_for_opening(part)
        case Standing.OPEN | Standing.FIXED:
            return _vote(election, part, final=standing is Standing.FIXED)
        case Standing.ENDED | Standing.CLOSED:
            return _see(election, part)


def _prepare(election: Election) -> Step:
    lacking = FEWEST_CANDIDATES - election.candidate_count
    if lacking > 0:
        return Step(
            "Name the candidates",
            f"It takes at least {FEWEST_CANDIDATES} to vote on, and there "
            f"{'is one' if election.candidate_count == 1 else 'are none yet'}.",
            "Name candidates",
            election_url(election, "candidates"),
        )
    return Step(
        "Ready to launch",
        "Look once more at what is settled: secrecy, publication and dates cannot change after "
        "the launch.",
        "Launch…",
        election_url(election, "launch"),
    )


def _wait_for_launch(election: Election) -> Step:
    return Step(
        "Being prepared",
        f"{election.owner_name} has not launched it yet. Candidates and rules may still change.",
    )


def _wait_for_opening(part: Participation) -> Step:
    who = "You can vote from then on." if part.may_vote else "You are not asked to vote in it."
    return Step("Not open yet", f"Everything is settled, and voting opens later. {who}")


def _vote(election: Election, part: Participation, *, final: bool) -> Step:
    ballot = election_url(election, "ballot")
    if part.has_voted and final:
        text = "Your ballot is final. Keep your receipt: with it you can check the result."
        return Step("You have voted", text, "See my ballot", ballot, done=True)
    if part.has_voted:
        text = "You can change or withdraw your ballot as long as it is open; the last one counts."
        return Step("You have voted", text, "See or change my ballot", ballot, done=True)
    if part.may_vote:
        text = (
            "Rank as many candidates as you like. The first ballot you cast is final."
            if final
            else "Rank as many candidates as you like. You can change your mind while it is open."
        )
        return Step("Your vote is asked for", text, "Vote", ballot)
    if election.voter_count:
        text = f"You are not on the list of voters. Ask {election.owner_name} if you should be."
        return Step("Others are voting", text)
    return Step("Others are voting", "Your role lets you look on, and not vote.")


def _see(election: Election, part: Participation) -> Step:
    own = " Your ballot is in it: check it with your receipt." if part.has_voted else ""
    return Step(
        "The result is there",
        f"It was counted and signed when it closed.{own}",
        "See the result",
        election_url(election, "tally"),
    )


router = APIRouter()
SHOWN = 12


@dataclass(frozen=True, slots=True)
class SignedEnd:
    """What was signed at the close, as far as a reader compares it."""

    ballots: int
    closed_at: datetime
    root: str
    signature: str
    fingerprint: str


@router.get("/e/{name}")
def show_election(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> Response:
    """The overview; an election whose time is up is closed now."""
    elections = site.elections
    now = elections.context.clock()
    standing = standing_of(election, now)
    [part] = site.elections.queries.participation(user, [election])
    owner = is_owner(user, election)
    candidates = elections.queries.candidates(user, election.name)
    return site.pages.render(
        request,
        "elections/overview.html",
        **election_context(site, election, user, ""),
        status=describe_status(election, now),
        step=next_step(election, standing, part, owner=owner),
        part=part,
        is_owner=owner,
        candidates=[one.candidate_name for one in candidates[:SHOWN]],
        ballots=BALLOT_DESCRIPTIONS[election.secret_ballot],
        published=describe_publication(election),
        end=_signed_end(site, election),
    )


def _signed_end(site: Site, election: Election) -> SignedEnd | None:
    if election.statement is None or election.signature is None:
        return None
    said = json.loads(election.statement)
    return SignedEnd(
        ballots=said["ballots"],
        closed_at=datetime.fromisoformat(said["closed_at"]),
        root=said["root"],
        signature=election.signature,
        fingerprint=format_fingerprint(site.elections.context.keys.signer.public_key),
    )
