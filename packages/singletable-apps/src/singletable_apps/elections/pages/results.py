"""The results of an election: the count, all ballots, the turnout, and what was published."""

from __future__ import annotations

import json
from typing import Annotated, cast

from fastapi import APIRouter, Query, Response

from singletable_apps.elections.entities import Election, is_removed_user
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.pages import results_view
from singletable_apps.elections.pages.dependencies import (
    ElectionPage,
    ElectionPageContext,
    ElectionsState,
    VoterPage,
    render_texts,
)
from singletable_apps.elections.pages.setup import describe_rules
from singletable_apps.elections.proofs.documents import (
    MIN_SECRET_BALLOTS,
    checker_command,
    publication_filename,
    receipt_filename,
)
from singletable_apps.elections.proofs.encoding import format_code
from singletable_apps.elections.proofs.keys import format_fingerprint
from singletable_apps.elections.rules.elections import ResultDetail, is_withheld
from singletable_apps.elections.web import export_file
from singletable_apps.shared.pages import ListQueryParameters, Pager
from singletable_apps.shared.web import download

router = APIRouter()

BALLOTS_PER_PAGE = 50
NAMES_PER_PAGE = 100
CODES_PER_PAGE = 200

# The two candidates whose chains are drawn; by default the first two of the result.
CandidateName = Annotated[str, Query(max_length=200)]
Start = Annotated[int, Query(ge=0, le=10**9, alias="from")]


@router.get("/e/{name}/tally")
def show_results(page: VoterPage, a: CandidateName = "", b: CandidateName = "") -> Response:
    """Show the results, or why there are none yet."""
    try:
        count = results_view.load_count(page.service, page.voter, page.election.name)
    except WrongState:
        # Turnout is public, even for secret ballots.
        turnout = page.service.queries.turnout(page.voter, page.election.name).voted
        return page.render_tab(
            "results_pending",
            "tally",
            turnout=turnout,
            is_withheld=is_withheld(page.election),
            min_ballots=MIN_SECRET_BALLOTS,
        )
    return page.render_tab("results", "tally", **_count_context(page, count, (a, b)))


@router.get("/e/{name}/tally/now")
def refresh_results(page: VoterPage, a: CandidateName = "", b: CandidateName = "") -> Response:
    """Return the count alone, for live updates; 304 if it has not changed."""
    page.service.results.check_visible(page.voter, page.election)
    if not page.election.allow_vote:  # it has closed: reload the whole page
        return Response(headers={"HX-Refresh": "true", "Cache-Control": "no-store"})
    count = _current_count(page, page.election)
    headers = {"ETag": f'"{count.etag}"', "Cache-Control": "private, no-cache"}
    if page.request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    context = {"election": count.election, **_count_context(page, count, (a, b))}
    response = page.render("results/count", **context)
    response.headers.update(headers)
    return response


@router.get("/e/{name}/tally/events")
def stream_changes(page: VoterPage) -> Response:
    """Stream an event whenever the count changes."""
    election = page.election
    page.service.results.check_visible(page.voter, election)

    def version() -> str:
        current = page.service.results.close_if_due(election.name)
        return _current_count(page, current).etag if current.allow_vote else "closed"

    return _state(page).live.respond(page.request, election.election_id, version)


def _current_count(page: VoterPage, election: Election) -> results_view.Count:
    """Return the count, computed once for all viewers."""
    return _state(page).result_cache.get(
        election.election_id,
        lambda: results_view.load_count(page.service, page.voter, election.name),
        page.service.context.clock,
        page.service.queries.version(),
    )


def _state(page: VoterPage) -> ElectionsState:
    return cast(ElectionsState, page.state)


def _count_context(
    page: VoterPage, count: results_view.Count, pair: tuple[str, str]
) -> dict[str, object]:
    return results_view.explain_count(count.results, pair) | {
        "count": count,
        "headline": count.headline,
        "chart": results_view.make_chart(count.tally.result),
        "turnout": results_view.describe_turnout(count.tally),
        "method": count.tally.method,
        "agreed": describe_rules(count.election, count.tally.method),
        "downloads": results_view.list_downloads(count, page.url),
        "texts": render_texts(page),
        "url": page.url,
        "share_link": page.urls.result_link(count.election),
        "is_manager": isinstance(page, ElectionPageContext) and page.is_manager,
    }


@router.get("/e/{name}/tally/rankings")
def list_rankings(page: VoterPage, start: Start = 0) -> Response:
    """List every ranking and how often it was cast."""
    rankings = page.service.results.rankings(page.voter, page.election.name)
    return page.render_tab(
        "results/rankings",
        "tally",
        pager=_pager(page.url("tally", "rankings"), start, len(rankings)),
        rankings=rankings[start : start + BALLOTS_PER_PAGE],
        tally=page.service.results.tally(page.voter, page.election.name),
    )


@router.get("/e/{name}/tally/ballots")
def list_ballots(page: VoterPage, start: Start = 0) -> Response:
    """List every ballot: by voter in open elections, by tracking code in secret ones."""
    tally = page.service.results.tally(page.voter, page.election.name)
    if ResultDetail.CONFIRMATIONS not in tally.shown:
        return page.redirect(page.url("tally", "rankings"))
    ballots = page.service.results.ballots(page.voter, page.election.name)
    return page.render_tab(
        "results/ballots",
        "tally",
        pager=_pager(page.url("tally", "ballots"), start, len(ballots)),
        ballots=ballots[start : start + BALLOTS_PER_PAGE],
        with_names=ResultDetail.NAMES in tally.shown,
        format_code=format_code,
    )


def _pager(url: str, start: int, total: int) -> Pager:
    return Pager.numbered(url, "from", start, BALLOTS_PER_PAGE, total)


@router.get("/e/{name}/tally/ballots/{form}")
def download_ballots(page: VoterPage, form: str) -> Response:
    """Return the ballots as a file in another program's format."""
    return export_file(page.service, page.voter, page.election.name, form)


@router.get("/e/{name}/tally/result.json")
def download_result(page: VoterPage) -> Response:
    """Return the count as a file."""
    tally = page.service.results.tally(page.voter, page.election.name)
    content = tally.result.to_json().encode()
    return download(content, f"{tally.election.name}, result.json", "application/json")


@router.get("/e/{name}/voted")
def show_turnout(page: ElectionPage, query: ListQueryParameters) -> Response:
    """List the people with a ballot, and show the turnout."""
    queries, name = page.service.queries, page.election.name
    names, following = queries.who_voted(page.user, name, NAMES_PER_PAGE, query.cursor)
    return page.render_tab(
        "turnout",
        "voted",
        names=query.page([each for each in names if not is_removed_user(each)], following),
        removed=sum(map(is_removed_user, names)),
        turnout=queries.turnout(page.user, name).voted,
    )


@router.get("/e/{name}/published")
def show_publication(page: VoterPage, start: Start = 0) -> Response:
    """Explain the signed statement, and list the key and all tracking codes."""
    election = page.election
    if election.statement is None:
        return page.render_tab("publication_pending", "tally")
    publication = page.service.results.published(page.voter, election.name)
    closing, codes = publication["closing"], publication["confirmations"]
    here, end = page.url("published"), start + CODES_PER_PAGE
    published, key = publication_filename(election.name), format_fingerprint(closing["public_key"])
    return page.render_tab(
        "publication",
        "tally",
        lines=results_view.describe_statement(closing["statement"]),
        signature=closing["signature"],
        commands=[
            checker_command(published, key=key),
            checker_command(receipt_filename(election.name), publication=published, key=key),
        ],
        codes=[format_code(code) for code in codes[start:end]],
        total=len(codes),
        begin=start,
        next_url=f"{here}?from={end}#confirmations" if end < len(codes) else "",
        first_url=f"{here}#confirmations" if start else "",
    )


@router.get("/e/{name}/published/publication.json")
def download_publication(page: VoterPage) -> Response:
    """Return the signed file that anyone can check."""
    publication = page.service.results.published(page.voter, page.election.name)
    content = json.dumps(publication, ensure_ascii=False, indent=1).encode()
    return download(content, publication_filename(page.election.name), "application/json")
