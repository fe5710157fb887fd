"""The first page about an election: where it stands, what is settled, and what to do next."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from fastapi import Request, Response

from singletable_apps.elections.entities import Election
from singletable_apps.elections.pages.choosing import ThisElection, election_router
from singletable_apps.elections.pages.election_frame import framed, is_owner, standing_of
from singletable_apps.elections.pages.next_step import next_step
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.terms_form import BALLOT_WORDS, published_words
from singletable_apps.elections.pages.visiting import Viewer
from singletable_apps.elections.proofs import fingerprint
from singletable_apps.elections.rules import status_of
from singletable_apps.elections.service.taking_part import parts_of

router = election_router()
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
    request: Request, site: ThisSite, user: Viewer, election: ThisElection
) -> Response:
    """The overview; an election whose time is up is closed now."""
    elections = site.elections
    now = elections.office.clock()
    standing = standing_of(election, now)
    [part] = parts_of(site.elections.office, user, [election])
    owner = is_owner(user, election)
    candidates = elections.queries.candidates(user, election.name)
    return site.pages.page(
        request,
        "elections/overview.html",
        **framed(site, election, user, ""),
        status=status_of(election, now),
        step=next_step(election, standing, part, owner=owner),
        part=part,
        is_owner=owner,
        candidates=[one.candidate_name for one in candidates[:SHOWN]],
        ballots=BALLOT_WORDS[election.secret_ballot],
        published=published_words(election),
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
        fingerprint=fingerprint(site.elections.office.keys.signer.public_key),
    )
