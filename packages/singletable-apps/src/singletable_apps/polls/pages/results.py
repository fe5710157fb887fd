"""Show the results of a poll, live while it is open."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import CodeUsed, NotFound, ResultsHidden
from singletable_apps.polls.pages.dependencies import (
    CurrentPoll,
    CurrentSite,
    PollsState,
    get_viewer,
)
from singletable_apps.polls.pages.results_view import (
    ResultsView,
    list_downloads,
    make_results_view,
)
from singletable_apps.polls.rules import PROTECTION_TEXT, is_open
from singletable_apps.polls.service import Viewer, Voter
from singletable_apps.polls.urls import page_url, poll_url, share_link
from singletable_apps.polls.web import Browser
from singletable_apps.shared.results import Download

router = APIRouter()


@router.get("/p/{poll_id}/results")
def show_results(
    request: Request, site: CurrentSite, browser: Browser, poll: CurrentPoll
) -> Response:
    """Show the current results, or when they can be seen."""
    viewer = get_viewer(request, site, browser, poll)
    context = _page_context(site, poll, viewer)
    try:
        site.service.results.check_visible(poll, viewer)
    except ResultsHidden:
        # The number of votes says nothing about the rankings.
        votes = _get_latest(site, poll.id).results.tally.votes
        return site.pages.render(request, "polls/results/hidden.html", **context, votes=votes)
    view = make_results_view(site.service.results.compute(poll))
    # So that someone who has just voted does not get older results a moment later.
    site.result_cache.put(poll.id, view, site.service.context.clock())
    return site.pages.render(
        request,
        "polls/results.html",
        **context,
        **_view_context(view),
        downloads=_list_downloads(site, view, viewer),
    )


@router.get("/p/{poll_id}/results/now")
def update_results(request: Request, site: CurrentSite, browser: Browser, poll_id: str) -> Response:
    """Return the part of the page that changes, or 304 if it has not changed."""
    try:
        view = _get_latest(site, poll_id)
        viewer = get_viewer(request, site, browser, view.poll)
        site.service.results.check_visible(view.poll, viewer)
    except (ResultsHidden, NotFound):
        if "hx-request" not in request.headers:
            raise
        return _reload_page()
    if view.results.is_final:
        return _reload_page()
    tag = f'"{view.results.version}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    page = site.pages.render(request, "polls/results/count.html", **_view_context(view))
    page.headers.update(headers)
    return page


@router.get("/p/{poll_id}/results/events")
def stream_updates(
    request: Request, site: CurrentSite, browser: Browser, poll: CurrentPoll
) -> Response:
    """Stream an event whenever the results change."""
    site.service.results.check_visible(poll, get_viewer(request, site, browser, poll))

    def version() -> str:
        results = _get_latest(site, poll.id).results
        return "final" if results.is_final else results.version

    return site.live.respond(request, poll.id, version)


def _reload_page() -> Response:
    """Let htmx reload the page: the poll was closed, hidden or deleted."""
    return Response(headers={"HX-Refresh": "true", "Cache-Control": "no-store"})


def _get_latest(site: PollsState, poll_id: str) -> ResultsView:
    """Return results that are at most a second old, shared by all viewers."""
    polls = site.service
    return site.result_cache.get(
        poll_id,
        lambda: make_results_view(polls.results.compute(polls.context.get_poll(poll_id))),
        polls.context.clock,
    )


def _list_downloads(site: PollsState, view: ResultsView, viewer: Viewer) -> list[Download]:
    """Return the downloads from the API.

    The API does not read the cookies of these pages. Viewers who can see the results only as voters
    get links with their vote id; others do not, because such a link reveals the vote.
    """
    polls, poll, browser = site.service, view.poll, viewer.voter.browser
    api_viewer = Viewer(Voter(browser), admin_key=polls.context.admin_key_of_creator(poll, browser))
    try:
        polls.results.check_visible(poll, api_viewer)
    except ResultsHidden:
        try:
            vote = polls.voting.find_vote(poll, viewer.voter)
        except CodeUsed:
            vote = None
        vote_id = viewer.vote_id if vote is None else vote.id
        return [] if vote_id is None else list_downloads(view.results, vote_id)
    return list_downloads(view.results)


def _page_context(site: PollsState, poll: Poll, viewer: Viewer) -> dict[str, object]:
    """Return what stays the same while votes come in."""
    return {
        "poll": poll,
        # A poll is open, then closed, then final once no vote can be in flight.
        "is_open": is_open(poll, site.service.context.clock()),
        "protection": PROTECTION_TEXT[poll.protection],
        "share_link": share_link(site.service.context.urls.public, poll.id),
        "vote_url": poll_url(poll.id),
        "copy_url": f"{page_url('new')}?from={poll.id}",
        "manage_url": poll_url(poll.id, "manage") if viewer.admin_key else "",
    }


def _view_context(view: ResultsView) -> dict[str, object]:
    """Return what changes with each vote."""
    here = poll_url(view.poll.id, "results")
    return {
        "view": view,
        "runoff": view.runoff,
        "here": here,
        "update_url": f"{here}/now",
        "events_url": f"{here}/events",
    }
