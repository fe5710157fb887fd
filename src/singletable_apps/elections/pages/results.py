"""How an election stands or has ended: the page that people show each other."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response

from singletable_apps.counting.pictures import Picture, draw_beat_paths, draw_transfers
from singletable_apps.elections.api.dependencies import NameInPath
from singletable_apps.elections.api.results import export_file
from singletable_apps.elections.entities import Election, User, is_removed_user
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.pages.dependencies import Viewer, election_context
from singletable_apps.elections.pages.results_view import (
    EVERY_PAIR,
    MOST,
    Count,
    count_of,
    duels,
    files_of,
    headline,
    lines_of,
    pair_rows,
    places,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url, url
from singletable_apps.elections.proofs import (
    checker_command,
    format_code,
    format_fingerprint,
    publication_filename,
    receipt_filename,
)
from singletable_apps.elections.rules.elections import ResultDetail, check_view_tally
from singletable_apps.shared.results import (
    MAX_ROUNDS,
    candidates_in_order,
    compare_methods,
    round_table,
)
from singletable_apps.shared.web import download

router = APIRouter()

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
        return _waiting(request, site, user, site.elections.results.close_if_due(name))
    frame = election_context(site, count.election, user, "tally")
    return site.pages.render(request, "elections/tally.html", **{**frame, **_parts(count, (a, b))})


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
    election = site.elections.results.close_if_due(name)
    check_view_tally(user, election, site.elections.context.clock())
    if not election.allow_vote:
        # What stands around the count has changed too.
        return Response(headers={"HX-Refresh": "true", "Cache-Control": "no-store"})
    count = _current_count(site, user, election)
    tag = f'"{count.mark}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    page = site.pages.render(request, "elections/tally/count.html", **_parts(count, (a, b)))
    page.headers.update(headers)
    return page


@router.get("/e/{name}/tally/events")
def stream_changes(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """Stream an event whenever the count changes."""
    election = site.elections.results.close_if_due(name)
    check_view_tally(user, election, site.elections.context.clock())

    def version() -> str:
        current = site.elections.results.close_if_due(name)
        return _current_count(site, user, current).mark if current.allow_vote else "closed"

    return site.live.respond(request, election.election_id, version)


def _current_count(site: Site, user: User, election: Election) -> Count:
    """Return the count, which is made once for all who look at the same time."""
    return site.result_cache.get(
        election.election_id,
        lambda: count_of(site.elections, user, election.name),
        site.elections.context.clock,
        site.elections.queries.version(),
    )


def _waiting(request: Request, site: Site, user: User, election: Election) -> Response:
    """Why there is nothing to see yet; who has voted is no secret, and so not how many."""
    return site.pages.render(
        request,
        "elections/tally/waiting.html",
        **election_context(site, election, user, "tally"),
        turnout=site.elections.queries.turnout(user, election.name),
        voted=election_url(election, "voted"),
    )


def _parts(count: Count, asked: tuple[str, str]) -> dict[str, object]:
    """All that the templates of a count ask for."""
    result, runoff = count.result, count.runoff
    names = candidates_in_order(result)
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
        "comparison": compare_methods(count.results, SETTLED),
        "rounds": round_table(runoff),
        "flow": draw_transfers(runoff) if len(runoff.rounds) <= MAX_ROUNDS else None,
        "files": files_of(count),
        "to": partial(election_url, count.election),
    }


def _graph(count: Count, asked: tuple[str, str]) -> Picture | None:
    """The victories as arrows, with the chains between two marked."""
    known = set(count.result.candidates)
    if len(known) < 2 or len(known) > 2 * MOST:
        return None
    chosen = asked if asked[0] != asked[1] and known >= set(asked) else None
    return draw_beat_paths(count.result, chosen)


BALLOTS_PER_PAGE = 50
Begin = Annotated[int, Query(ge=0, le=10**9, alias="from")]


@router.get("/e/{name}/tally/rankings")
def list_rankings(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, begin: Begin = 0
) -> Response:
    """Every ranking that was cast, and how often."""
    alike = site.elections.results.rankings(user, name)
    tally = site.elections.results.tally(user, name)
    return site.pages.render(
        request,
        "elections/tally/rankings.html",
        **election_context(site, tally.election, user, "tally"),
        **_part(election_url(tally.election, "tally", "rankings"), begin, len(alike)),
        alike=alike[begin : begin + BALLOTS_PER_PAGE],
        tally=tally,
        back=election_url(tally.election, "tally"),
    )


@router.get("/e/{name}/tally/ballots")
def list_ballots(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, begin: Begin = 0
) -> Response:
    """Every ballot: by voter where ballots are open, by confirmation where they are secret."""
    tally = site.elections.results.tally(user, name)
    if ResultDetail.CONFIRMATIONS not in tally.shown:
        return site.pages.redirect(request, election_url(tally.election, "tally", "rankings"))
    ballots = site.elections.results.ballots(user, name)
    return site.pages.render(
        request,
        "elections/tally/ballots.html",
        **election_context(site, tally.election, user, "tally"),
        **_part(election_url(tally.election, "tally", "ballots"), begin, len(ballots)),
        ballots=ballots[begin : begin + BALLOTS_PER_PAGE],
        named=ResultDetail.NAMES in tally.shown,
        back=election_url(tally.election, "tally"),
    )


@router.get("/e/{name}/tally/ballots/{form}")
def download_ballots(site: ThisSite, user: Viewer, name: NameInPath, form: str) -> Response:
    """The ballots as a file for other programs."""
    return export_file(site.elections, user, name, form)


@router.get("/e/{name}/tally/result.json")
def download_result(site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """The count as a file."""
    tally = site.elections.results.tally(user, name)
    content = tally.result.to_json().encode()
    return download(content, f"{tally.election.name}, result.json", "application/json")


def _part(to: str, begin: int, total: int) -> dict[str, object]:
    """What the pager of a list says, and where it leads."""
    end = min(begin + BALLOTS_PER_PAGE, total)
    return {
        "begin": begin,
        "total": total,
        "first": to if begin else "",
        "next": f"{to}?from={end}" if end < total else "",
        "shown": f"{begin + 1:,} to {end:,} of {total:,}" if begin < total else "",
    }


NAMES_PER_PAGE = 100
Cursor = Annotated[str | None, Query(min_length=1, max_length=4000)]


@router.get("/e/{name}/voted")
def list_who_voted(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, cursor: Cursor = None
) -> Response:
    """Their names, some at a time, and how many of those who may that is."""
    queries = site.elections.queries
    election = site.elections.results.close_if_due(name)
    names, following = queries.who_voted(user, election.name, NAMES_PER_PAGE, cursor)
    to = election_url(election, "voted")
    return site.pages.render(
        request,
        "elections/voted.html",
        **election_context(site, election, user, "voted"),
        names=[one for one in names if not is_removed_user(one)],
        removed=sum(map(is_removed_user, names)),
        turnout=queries.turnout(user, election.name),
        next=f"{to}?cursor={quote(following, safe='')}" if following else "",
        first=to if cursor else "",
        tally=election_url(election, "tally"),
    )


LINES_PER_PAGE = 200


@router.get("/e/{name}/published")
def show_published(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, begin: Begin = 0
) -> Response:
    """The signed statement explained, the key, and all confirmations."""
    election = site.elections.results.close_if_due(name)
    frame = election_context(site, election, user, "tally")
    key = format_fingerprint(site.elections.context.keys.signer.public_key)
    if election.statement is None:
        return site.pages.render(
            request,
            "elections/published_later.html",
            **frame,
            key=key,
            tally=election_url(election, "tally"),
        )
    published = site.elections.results.published(user, name)
    closing, codes = published["closing"], published["confirmations"]
    to, end = election_url(election, "published"), begin + LINES_PER_PAGE
    return site.pages.render(
        request,
        "elections/published.html",
        **frame,
        statement=closing["statement"],
        lines=lines_of(closing["statement"]),
        signature=closing["signature"],
        public_key=closing["public_key"],
        key=key,
        codes=[format_code(code) for code in codes[begin:end]],
        total=len(codes),
        begin=begin,
        next=f"{to}?from={end}#confirmations" if end < len(codes) else "",
        first=f"{to}#confirmations" if begin else "",
        file=election_url(election, "published", "publication.json"),
        command=checker_command(
            receipt_filename(election.name), publication_filename(election.name)
        ),
        check=url("check"),
        tally=election_url(election, "tally"),
    )


@router.get("/e/{name}/published/publication.json")
def download_publication(site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """The signed file that everybody may check."""
    published = site.elections.results.published(user, name)
    content = json.dumps(published, ensure_ascii=False, indent=1).encode()
    title = site.elections.context.read.get_election(name).name
    return download(content, publication_filename(title), "application/json")
