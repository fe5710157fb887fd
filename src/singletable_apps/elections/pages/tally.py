"""How an election stands or has ended: the page that people show each other."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import Query, Request, Response

from singletable_apps.counting.pictures import Picture, draw_beat_paths, draw_transfers
from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.counted import Count, count_of
from singletable_apps.elections.pages.counted.chains import EVERY_PAIR, duels
from singletable_apps.elections.pages.counted.files import files_of
from singletable_apps.elections.pages.counted.headline import headline
from singletable_apps.elections.pages.counted.pairs import MOST, pair_rows
from singletable_apps.elections.pages.counted.places import places
from singletable_apps.elections.pages.election_frame import framed
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Viewer, page_router
from singletable_apps.elections.rules import check_tally
from singletable_apps.shared.counted import MOST_ROUNDS, comparison, in_order, rounds_of

router = page_router()

SETTLED = "Schulze decides, as was settled before the election opened."
# Whose chains are drawn: two candidates, or the first two of the result.
Asked = Annotated[str, Query(max_length=200)]


@router.get("/e/{name}/tally")
def show_tally(
    request: Request,
    site: ThisSite,
    user: Viewer,
    name: NameInPath,
    a: Asked = "",
    b: Asked = "",
) -> Response:
    """The count, or why there is none yet."""
    try:
        count = count_of(site.elections, user, name)
    except WrongState:
        return _waiting(request, site, user, site.elections.results.settled(name))
    frame = framed(site, count.election, user, "tally")
    return site.pages.page(request, "elections/tally.html", **{**frame, **_parts(count, (a, b))})


@router.get("/e/{name}/tally/now")
def show_what_is_new(
    request: Request,
    site: ThisSite,
    user: Viewer,
    name: NameInPath,
    a: Asked = "",
    b: Asked = "",
) -> Response:
    """The count alone, for a page that is open; 304 if that shows it already."""
    election = site.elections.results.settled(name)
    check_tally(user, election, site.elections.office.clock())
    if not election.allow_vote:
        # What stands around the count has changed too.
        return Response(headers={"HX-Refresh": "true", "Cache-Control": "no-store"})
    count = site.latest.value(
        election.election_id,
        lambda: count_of(site.elections, user, name),
        site.elections.office.clock,
        site.elections.queries.version(),
    )
    tag = f'"{count.mark}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    page = site.pages.page(request, "elections/tally/count.html", **_parts(count, (a, b)))
    page.headers.update(headers)
    return page


def _waiting(request: Request, site: Site, user: User, election: Election) -> Response:
    """Why there is nothing to see yet; who has voted is no secret, and so not how many."""
    return site.pages.page(
        request,
        "elections/tally/waiting.html",
        **framed(site, election, user, "tally"),
        turnout=site.elections.queries.turnout(user, election.name),
        voted=election_address(election, "voted"),
    )


def _parts(count: Count, asked: tuple[str, str]) -> dict[str, object]:
    """All that the templates of a count ask for."""
    result, runoff = count.result, count.runoff
    names = in_order(result)
    return {
        "count": count,
        "election": count.election,
        "headline": headline(count),
        "places": places(count),
        "names": names,
        "pairs": pair_rows(result),
        "most_pairs": MOST,
        "duels": duels(result),
        "every_pair": len(names) <= EVERY_PAIR,
        "pair": asked,
        "graph": _graph(count, asked),
        "comparison": comparison(count.results, SETTLED),
        "rounds": rounds_of(runoff),
        "flow": draw_transfers(runoff) if len(runoff.rounds) <= MOST_ROUNDS else None,
        "files": files_of(count),
        "to": partial(election_address, count.election),
    }


def _graph(count: Count, asked: tuple[str, str]) -> Picture | None:
    """The victories as arrows, with the chains between two marked."""
    known = set(count.result.candidates)
    if len(known) < 2 or len(known) > 2 * MOST:
        return None
    chosen = asked if asked[0] != asked[1] and known >= set(asked) else None
    return draw_beat_paths(count.result, chosen)
