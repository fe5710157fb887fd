"""The results of an election: the count, all ballots, who voted, and what was published."""

from __future__ import annotations

import json
from functools import partial
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response

from singletable_apps.counting.pictures import draw_transfers
from singletable_apps.elections.api.dependencies import NameInPath
from singletable_apps.elections.api.results import export_file
from singletable_apps.elections.entities import Election, User, is_removed_user
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.method import METHOD
from singletable_apps.elections.pages.dependencies import Viewer, election_context
from singletable_apps.elections.pages.results_view import (
    MAX_FULL_PAIRS,
    MAX_MATRIX,
    Count,
    describe_statement,
    describe_turnout,
    draw_graph,
    list_downloads,
    list_pairs,
    load_count,
    make_chart,
    make_headline,
    make_matrix,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url, url
from singletable_apps.elections.proofs.documents import (
    checker_command,
    publication_filename,
    receipt_filename,
)
from singletable_apps.elections.proofs.encoding import format_code
from singletable_apps.elections.proofs.keys import format_fingerprint
from singletable_apps.elections.rules.elections import ResultDetail, check_view_tally
from singletable_apps.shared.results import (
    MAX_ROUNDS,
    compare_methods,
    round_table,
)
from singletable_apps.shared.web import download

router = APIRouter()

BALLOTS_PER_PAGE = 50
NAMES_PER_PAGE = 100
CODES_PER_PAGE = 200

DECIDING_METHOD = f"The {METHOD.title} decides, as announced before the election opened."
# The two candidates whose chains are drawn; by default the first two of the result.
CandidateName = Annotated[str, Query(max_length=200)]
Start = Annotated[int, Query(ge=0, le=10**9, alias="from")]
Cursor = Annotated[str | None, Query(min_length=1, max_length=4000)]


@router.get("/e/{name}/tally")
def show_results(
    request: Request,
    site: ThisSite,
    user: Viewer,
    name: NameInPath,
    a: CandidateName = "",
    b: CandidateName = "",
) -> Response:
    """Show the results, or why there are none yet."""
    try:
        count = load_count(site.elections, user, name)
    except WrongState:
        return _render_pending(request, site, user, site.elections.results.close_if_due(name))
    frame = election_context(site, count.election, user, "tally")
    context = {**frame, **_count_context(count, (a, b))}
    return site.pages.render(request, "elections/results.html", **context)


@router.get("/e/{name}/tally/now")
def refresh_results(
    request: Request,
    site: ThisSite,
    user: Viewer,
    name: NameInPath,
    a: CandidateName = "",
    b: CandidateName = "",
) -> Response:
    """Return the count alone, for live updates; 304 if it has not changed."""
    election = site.elections.results.close_if_due(name)
    check_view_tally(user, election, site.elections.context.clock())
    if not election.allow_vote:
        # The election has closed: reload the whole page.
        return Response(headers={"HX-Refresh": "true", "Cache-Control": "no-store"})
    count = _current_count(site, user, election)
    headers = {"ETag": f'"{count.etag}"', "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    page = site.pages.render(
        request, "elections/results/count.html", **_count_context(count, (a, b))
    )
    page.headers.update(headers)
    return page


@router.get("/e/{name}/tally/events")
def stream_changes(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """Stream an event whenever the count changes."""
    election = site.elections.results.close_if_due(name)
    check_view_tally(user, election, site.elections.context.clock())

    def version() -> str:
        current = site.elections.results.close_if_due(name)
        return _current_count(site, user, current).etag if current.allow_vote else "closed"

    return site.live.respond(request, election.election_id, version)


def _current_count(site: Site, user: User, election: Election) -> Count:
    """Return the count, which is computed once for everyone who watches it."""
    return site.result_cache.get(
        election.election_id,
        lambda: load_count(site.elections, user, election.name),
        site.elections.context.clock,
        site.elections.queries.version(),
    )


def _render_pending(request: Request, site: Site, user: User, election: Election) -> Response:
    """Say why there are no results yet. Turnout is public, even for secret ballots."""
    return site.pages.render(
        request,
        "elections/results_pending.html",
        **election_context(site, election, user, "tally"),
        turnout=site.elections.queries.turnout(user, election.name).voted,
        turnout_url=election_url(election, "voted"),
        method=METHOD,
    )


def _count_context(count: Count, pair: tuple[str, str]) -> dict[str, object]:
    result, runoff = count.result, count.runoff
    names = result.ranked_candidates
    return {
        "count": count,
        "election": count.election,
        "headline": make_headline(count),
        "chart": make_chart(count),
        "explanation": result.explanation,
        "turnout": describe_turnout(count),
        "names": names,
        "matrix": make_matrix(result),
        "max_matrix": MAX_MATRIX,
        "pairs": list_pairs(result),
        "every_pair": len(names) <= MAX_FULL_PAIRS,
        "pair": pair,
        "graph": draw_graph(count, pair),
        "comparison": compare_methods(count.results, DECIDING_METHOD),
        "rounds": round_table(runoff),
        "flow": draw_transfers(runoff) if len(runoff.rounds) <= MAX_ROUNDS else None,
        "downloads": list_downloads(count),
        "method": METHOD,
        "url": partial(election_url, count.election),
    }


@router.get("/e/{name}/tally/rankings")
def list_rankings(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, start: Start = 0
) -> Response:
    """List every ranking and how often it was cast."""
    rankings = site.elections.results.rankings(user, name)
    tally = site.elections.results.tally(user, name)
    return site.pages.render(
        request,
        "elections/results/rankings.html",
        **election_context(site, tally.election, user, "tally"),
        **_pager(election_url(tally.election, "tally", "rankings"), start, len(rankings)),
        rankings=rankings[start : start + BALLOTS_PER_PAGE],
        tally=tally,
        results_url=election_url(tally.election, "tally"),
    )


@router.get("/e/{name}/tally/ballots")
def list_ballots(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, start: Start = 0
) -> Response:
    """List every ballot: by voter in open elections, by tracking code in secret ones."""
    tally = site.elections.results.tally(user, name)
    if ResultDetail.CONFIRMATIONS not in tally.shown:
        return site.pages.redirect(request, election_url(tally.election, "tally", "rankings"))
    ballots = site.elections.results.ballots(user, name)
    return site.pages.render(
        request,
        "elections/results/ballots.html",
        **election_context(site, tally.election, user, "tally"),
        **_pager(election_url(tally.election, "tally", "ballots"), start, len(ballots)),
        ballots=ballots[start : start + BALLOTS_PER_PAGE],
        with_names=ResultDetail.NAMES in tally.shown,
        format_code=format_code,
        results_url=election_url(tally.election, "tally"),
    )


def _pager(url: str, start: int, total: int) -> dict[str, object]:
    end = min(start + BALLOTS_PER_PAGE, total)
    return {
        "first": url if start else "",
        "next": f"{url}?from={end}" if end < total else "",
        "shown": f"{start + 1:,}–{end:,} of {total:,}" if start < total else "",
    }


@router.get("/e/{name}/tally/ballots/{form}")
def download_ballots(site: ThisSite, user: Viewer, name: NameInPath, form: str) -> Response:
    """Return the ballots as a file in another program's format."""
    return export_file(site.elections, user, name, form)


@router.get("/e/{name}/tally/result.json")
def download_result(site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """Return the count as a file."""
    tally = site.elections.results.tally(user, name)
    content = tally.result.to_json().encode()
    return download(content, f"{tally.election.name}, result.json", "application/json")


@router.get("/e/{name}/voted")
def show_turnout(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, cursor: Cursor = None
) -> Response:
    """List who voted, and show the turnout."""
    queries = site.elections.queries
    election = site.elections.results.close_if_due(name)
    names, following = queries.who_voted(user, election.name, NAMES_PER_PAGE, cursor)
    here = election_url(election, "voted")
    return site.pages.render(
        request,
        "elections/turnout.html",
        **election_context(site, election, user, "voted"),
        names=[voter for voter in names if not is_removed_user(voter)],
        removed=sum(map(is_removed_user, names)),
        turnout=queries.turnout(user, election.name).voted,
        next=f"{here}?cursor={quote(following, safe='')}" if following else "",
        first=here if cursor else "",
        results_url=election_url(election, "tally"),
    )


@router.get("/e/{name}/published")
def show_publication(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, start: Start = 0
) -> Response:
    """Explain the signed statement, and list the key and all tracking codes."""
    election = site.elections.results.close_if_due(name)
    frame = election_context(site, election, user, "tally")
    results_url = election_url(election, "tally")
    if election.statement is None:
        template = "elections/publication_pending.html"
        return site.pages.render(request, template, **frame, results_url=results_url)
    publication = site.elections.results.published(user, name)
    closing, codes = publication["closing"], publication["confirmations"]
    here, end = election_url(election, "published"), start + CODES_PER_PAGE
    return site.pages.render(
        request,
        "elections/publication.html",
        **frame,
        lines=describe_statement(closing["statement"]),
        signature=closing["signature"],
        fingerprint=format_fingerprint(site.elections.context.keys.signer.public_key),
        command=checker_command(
            receipt_filename(election.name), publication_filename(election.name)
        ),
        codes=[format_code(code) for code in codes[start:end]],
        total=len(codes),
        begin=start,
        next=f"{here}?from={end}#confirmations" if end < len(codes) else "",
        first=f"{here}#confirmations" if start else "",
        file_url=election_url(election, "published", "publication.json"),
        check_url=url("check"),
        results_url=results_url,
    )


@router.get("/e/{name}/published/publication.json")
def download_publication(site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """Return the signed file that anyone can check."""
    publication = site.elections.results.published(user, name)
    content = json.dumps(publication, ensure_ascii=False, indent=1).encode()
    election = site.elections.context.read.get_election(name)
    return download(content, publication_filename(election.name), "application/json")
