"""Show the results of a poll, live while it is open."""

from __future__ import annotations

from fastapi import APIRouter, Response

from singletable_apps.polls.errors import NotFound, ResultsHidden
from singletable_apps.polls.pages.dependencies import (
    AnyPage,
    PageContext,
    PollPage,
    PollPageContext,
    PollsState,
)
from singletable_apps.polls.pages.results_view import (
    ResultsView,
    list_downloads,
    make_results_view,
)
from singletable_apps.polls.rules import PROTECTION_TEXT
from singletable_apps.polls.service import Polls, Viewer, Voter
from singletable_apps.shared.results import Download

router = APIRouter()


@router.get("/p/{poll_id}/results")
def show_results(page: PollPage) -> Response:
    """Show the current results, or when they can be seen."""
    poll, viewer = page.poll, page.get_viewer()
    context = _page_context(page, viewer)
    try:
        page.service.results.check_visible(poll, viewer)
    except ResultsHidden as hidden:
        # The number of votes says nothing about the rankings.
        votes = _get_latest(page.state, poll.id).results.tally.votes
        return page.render("results/hidden", **context, votes=votes, reason=str(hidden))
    view = make_results_view(page.service.results.compute(poll))
    # So that someone who has just voted does not get older results a moment later.
    page.state.result_cache.put(poll.id, view, page.service.context.clock())
    return page.render(
        "results",
        **context,
        **_view_context(page, view),
        downloads=_list_downloads(page.service, view, viewer),
    )


@router.get("/p/{poll_id}/results/now")
def update_results(page: AnyPage, poll_id: str) -> Response:
    """Return the part of the page that changes, or 304 if it has not changed."""
    try:
        view = _get_latest(page.state, poll_id)
        page.service.results.check_visible(view.poll, page.with_poll(view.poll).get_viewer())
    except (ResultsHidden, NotFound):
        if "hx-request" not in page.request.headers:
            raise
        return _reload_page()
    if view.results.is_final:
        return _reload_page()
    tag = f'"{view.results.version}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if page.request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    response = page.render("results/count", **_view_context(page, view))
    response.headers.update(headers)
    return response


@router.get("/p/{poll_id}/results/events")
def stream_updates(page: PollPage) -> Response:
    """Stream an event whenever the results change."""
    page.service.results.check_visible(page.poll, page.get_viewer())

    def version() -> str:
        results = _get_latest(page.state, page.poll.id).results
        return "final" if results.is_final else results.version

    return page.state.live.respond(page.request, page.poll.id, version)


def _reload_page() -> Response:
    """Let htmx reload the page: the poll was closed, hidden or deleted."""
    return Response(headers={"HX-Refresh": "true", "Cache-Control": "no-store"})


def _get_latest(state: PollsState, poll_id: str) -> ResultsView:
    """Return results that are at most a second old, shared by all viewers."""
    polls = state.service
    return state.result_cache.get(
        poll_id,
        lambda: make_results_view(polls.results.compute(polls.context.get_poll(poll_id))),
        polls.context.clock,
    )


def _list_downloads(polls: Polls, view: ResultsView, viewer: Viewer) -> list[Download]:
    """Return the downloads from the API.

    The API does not read the cookies of these pages. Viewers who can see the results only as voters
    get links with their vote id; others do not, because such a link reveals the vote.
    """
    poll, browser = view.poll, viewer.voter.browser
    api_viewer = Viewer(Voter(browser), admin_key=polls.context.admin_key_of_creator(poll, browser))
    try:
        polls.results.check_visible(poll, api_viewer)
    except ResultsHidden:
        return list_downloads(view.results, viewer.vote_id or "")
    return list_downloads(view.results)


def _page_context(page: PollPageContext, viewer: Viewer) -> dict[str, object]:
    """Return what stays the same while votes come in."""
    poll = page.poll
    return {
        "poll": poll,
        # A poll is open, then closed, then final once no vote can be in flight.
        "is_open": page.is_open,
        "protection": PROTECTION_TEXT[poll.protection],
        "share_link": page.urls.share_link(poll.id),
        "vote_url": page.url(),
        "copy_url": f"{page.urls.page('new')}?from={poll.id}",
        "manage_url": page.url("manage") if viewer.admin_key else "",
    }


def _view_context(page: PageContext, view: ResultsView) -> dict[str, object]:
    """Return what changes with each vote."""
    here = page.urls.poll(view.poll.id, "results")
    return {
        "view": view,
        "runoff": view.runoff,
        "here": here,
        "update_url": f"{here}/now",
        "events_url": f"{here}/events",
    }
