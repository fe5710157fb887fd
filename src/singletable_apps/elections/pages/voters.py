"""Who may vote in an election."""

from __future__ import annotations

from itertools import islice
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Request, Response

from singletable_apps.elections.entities import Election
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.choosing import ThisElection, election_router
from singletable_apps.elections.pages.election_frame import framed, is_owner
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Viewer
from singletable_apps.elections.rules import folded
from singletable_apps.elections.service.taking_part import parts_of

router = election_router()
SIZE = 100


@router.get("/e/{name}/voters")
def show_voters(
    request: Request,
    site: ThisSite,
    user: Viewer,
    election: ThisElection,
    q: Annotated[str, Query(max_length=200)] = "",
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
) -> Response:
    """The list of voters, or that everybody may vote."""
    here = election_address(election, "voters")
    following: str | None = None
    if q.strip():
        names = _named_like(site, election, q)
    else:
        found, following = site.elections.queries.voters(user, election.name, SIZE, cursor)
        names = [one.voter_name for one in found]
    [part] = parts_of(site.elections.office, user, [election])
    return site.pages.page(
        request,
        "elections/voters.html",
        **framed(site, election, user, "voters"),
        names=names,
        q=q,
        here_voters=here,
        part=part,
        can_edit=is_owner(user, election) and election.allow_edit,
        is_owner=is_owner(user, election),
        next=f"{here}?{urlencode({'cursor': following})}" if following else "",
        first=here if cursor else "",
        most=SIZE,
    )


def _named_like(site: Site, election: Election, text: str) -> list[str]:
    """The first of those on the list whose names hold the text, whatever its case."""
    wanted = folded(text.strip())
    voters = site.elections.office.view.voters(election.name)
    found = (one.voter_name for one in voters if wanted in folded(one.voter_name))
    return list(islice(found, SIZE))
