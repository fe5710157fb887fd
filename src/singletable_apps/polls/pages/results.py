"""How a poll stands or has ended: the page that people show each other."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import Hidden, NotThere
from singletable_apps.polls.pages.cookies import viewer_of
from singletable_apps.polls.pages.dependencies import Browser, CurrentPoll
from singletable_apps.polls.pages.results_view import Shown, files_of, shown_of
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.rules import is_open
from singletable_apps.polls.service import Viewer, Voter
from singletable_apps.polls.text import PROTECTION_WORDS
from singletable_apps.polls.urls import poll_url, share_link, url
from singletable_apps.shared.results import Download

router = APIRouter()


@router.get("/p/{poll_id}/results")
def show_results(request: Request, site: ThisSite, browser: Browser, poll: CurrentPoll) -> Response:
    """The result as it is at this moment; or why, and until when, it is not shown."""
    standing = site.polls.standing
    viewer = viewer_of(request, site, browser, poll)
    around = _around(site, poll, viewer)
    try:
        standing.check(poll, viewer)
    except Hidden:
        # How many have voted says nothing about what they ranked.
        votes = _latest(site, poll.id).outcome.tally.votes
        return site.pages.render(request, "polls/results/hidden.html", **around, votes=votes)
    shown = shown_of(standing.of(poll))
    # So that whoever has just voted does not see an older result a moment later.
    site.result_cache.put(poll.id, shown, site.polls.context.clock())
    files = _files(site, shown, viewer)
    return site.pages.render(request, "polls/results.html", **around, **_parts(shown), files=files)


@router.get("/p/{poll_id}/results/now")
def show_what_is_new(request: Request, site: ThisSite, browser: Browser, poll_id: str) -> Response:
    """The result alone, for a page that is open; 304 if that shows it already."""
    try:
        shown = _latest(site, poll_id)
        site.polls.standing.check(shown.poll, viewer_of(request, site, browser, shown.poll))
    except (Hidden, NotThere):
        if "hx-request" not in request.headers:
            raise
        return _anew()  # it was deleted, or is hidden by now: the page must not go on showing it
    if shown.outcome.is_final:
        return _anew()
    tag = f'"{shown.outcome.mark}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    page = site.pages.render(request, "polls/results/count.html", **_parts(shown))
    page.headers.update(headers)
    return page


@router.get("/p/{poll_id}/results/events")
def stream_changes(
    request: Request, site: ThisSite, browser: Browser, poll: CurrentPoll
) -> Response:
    """Stream an event whenever the result changes."""
    site.polls.standing.check(poll, viewer_of(request, site, browser, poll))

    def version() -> str:
        outcome = _latest(site, poll.id).outcome
        return "final" if outcome.is_final else outcome.mark

    return site.live.respond(request, poll.id, version)


def _anew() -> Response:
    """Lets the page come anew: what stands around the result has changed too."""
    return Response(headers={"HX-Refresh": "true", "Cache-Control": "no-store"})


def _latest(site: Site, poll_id: str) -> Shown:
    """The result of a moment ago, whoever asks: poll and votes are read once for all."""
    polls = site.polls
    return site.result_cache.get(
        poll_id,
        lambda: shown_of(polls.standing.of(polls.context.poll(poll_id))),
        polls.context.clock,
    )


def _files(site: Site, shown: Shown, viewer: Viewer) -> list[Download]:
    """Files that the API gives to whoever may see the result: to some by the id of their vote.

    Whoever has that link can read the vote, so it is for those alone whom the API does not know.
    """
    polls, poll, browser = site.polls, shown.poll, viewer.voter.browser
    known = Viewer(Voter(browser), admin_key=polls.context.key_of_maker(poll, browser))
    try:
        polls.standing.check(poll, known)
    except Hidden:
        vote = polls.voting.vote_of(poll, viewer.voter)
        vote_id = viewer.vote_id if vote is None else vote.id
        return [] if vote_id is None else files_of(shown.outcome, vote_id)
    return files_of(shown.outcome)


def _around(site: Site, poll: Poll, viewer: Viewer) -> dict[str, object]:
    """What stands around a result, and stays while votes come in."""
    return {
        "poll": poll,
        # Votes that were let in at the last moment may come a little later: open, closed, final.
        "open": is_open(poll, site.polls.context.clock()),
        "protection": PROTECTION_WORDS[poll.protection],
        "share": share_link(site.settings.public, poll.id),
        "vote": poll_url(poll.id),
        "copy": f"{url('new')}?from={poll.id}",
        "manage": poll_url(poll.id, "manage") if viewer.admin_key else "",
    }


def _parts(shown: Shown) -> dict[str, object]:
    """All that the templates of a result ask for."""
    here = poll_url(shown.poll.id, "results")
    return {
        "shown": shown,
        "runoff": shown.runoff,
        "here": here,
        "now": f"{here}/now",
        "events": f"{here}/events",
    }
