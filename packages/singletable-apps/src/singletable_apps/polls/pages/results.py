"""Show the results of a poll: live while it is open, as a picture, in a frame, with comments."""

from __future__ import annotations

from fastapi import APIRouter, Response

from ranked_ballots import pluralize
from singletable_apps.polls.entities import PollKind
from singletable_apps.polls.errors import InvalidInput, NotFound, ResultsHidden
from singletable_apps.polls.pages.dependencies import AnyPage, PollPage, PollPageContext, PollsState
from singletable_apps.polls.pages.results_view import ResultsView, list_downloads, make_results_view
from singletable_apps.polls.service import Viewer, Voter
from singletable_apps.shared.frame import count_request
from singletable_apps.shared.pages import Form, PostedForm
from singletable_apps.shared.results import Download
from singletable_apps.shared.share_pictures import ShareBar, draw_share_picture
from singletable_apps.shared.web.middleware import allow_frames

router = APIRouter()


@router.get("/p/{poll_id}/results")
def show_results(page: PollPage) -> Response:
    """Show the current results, or when they can be seen."""
    return _show_results(page, Form())


def _show_results(page: PollPageContext, form: Form, status: int = 200) -> Response:
    poll, viewer = page.poll, page.get_viewer()
    context = {
        "copy_url": f"{page.urls.page('new')}?from={poll.id}",
        "manage_url": page.url("manage") if viewer.admin_key else "",
        "comments": page.service.comments.list_all(poll),
        "form": form,
    }
    try:
        page.service.results.check_visible(poll, viewer)
    except ResultsHidden as hidden:
        # The number of votes says nothing about the rankings.
        latest = _get_latest(page.state, poll.id).results
        counted = {"votes": latest.tally.votes, "is_final": latest.is_final}
        return page.render("results/hidden", status, **context, **counted, reason=str(hidden))
    view = make_results_view(page.service.results.compute(poll))
    # So that someone who has just voted does not get older results a moment later.
    page.state.result_cache.put(poll.id, view, page.service.context.clock())
    return page.render(
        "results",
        status,
        **context,
        view=_localized(page, view),
        downloads=_list_downloads(page, view, viewer),
        voters=page.service.results.list_voters(poll),
    )


@router.get("/p/{poll_id}/results/now")
def update_results(page: AnyPage, poll_id: str) -> Response:
    """Return the part of the page that changes, or 304 if it has not changed."""
    try:
        view = _get_latest(page.state, poll_id)
        poll_page = page.with_poll(view.poll)
        page.service.results.check_visible(view.poll, poll_page.get_viewer())
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
    response = poll_page.render("results/count", view=_localized(poll_page, view))
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


@router.get("/p/{poll_id}/picture.png")
def draw_picture(page: PollPage) -> Response:
    """Draw the results, or the question if they are hidden, for chats and to download."""
    view, labels = _visible_view(page), page.option_labels()
    lead, bars = "Vote now", [ShareBar(label) for label in labels.values()]
    if view is not None and view.chart:
        lead = view.headline.title
        bars = [
            ShareBar(row.name, float(row.value / (row.maximum or 1)), row.label)
            for row in view.chart
        ]
    link = page.urls.share_link(page.poll.id).partition("://")[2]
    picture = draw_share_picture(page.poll.title, lead, tuple(bars), link)
    return Response(picture, media_type="image/png")


@router.get("/p/{poll_id}/embed")
def show_embedded(page: PollPage) -> Response:
    """Show the poll in a frame of another site: the results, and a link to vote.

    Browsers send no cookies from a frame of another site, so people vote in a window of their own.
    """
    view = _visible_view(page, Viewer())
    links = [("Vote", page.url(), "primary")] if page.is_open else []
    response = page.pages.render(
        page.request,
        "results/embed.html",
        app="polls",
        title=page.poll.title,
        is_open=page.is_open,
        lead=view and view.headline.title,
        chart=view.chart if view else [],
        names=page.option_labels().values(),
        votes=pluralize(view.results.tally.votes, "vote") if view else "",
        links=[*links, ("Results", page.url("results"), "plain")],
    )
    return allow_frames(response)


@router.post("/p/{poll_id}/comments")
def add_comment(page: PollPage, form: PostedForm) -> Response:
    """Add a comment, or show the page again with the error."""
    count_request(page.request, "comment")
    try:
        page.service.comments.add(page.poll.id, form.value("name"), form.value("text"))
    except InvalidInput as error:
        return _show_results(page, form.with_errors(**error.errors), 422)
    return page.redirect(f"{page.url('results')}#comments", "Your comment was added.")


def _visible_view(page: PollPageContext, viewer: Viewer | None = None) -> ResultsView | None:
    """Return results that are at most a second old, or None if the viewer cannot see them."""
    if not page.can_see_results(viewer or page.get_viewer()):
        return None
    return _localized(page, _get_latest(page.state, page.poll.id))


def _localized(page: PollPageContext, view: ResultsView) -> ResultsView:
    """Return the view with dates in the time zone of the reader."""
    if view.poll.settings.kind is not PollKind.DATES:
        return view
    return make_results_view(view.results, page.with_poll(view.poll).option_labels())


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


def _list_downloads(page: PollPageContext, view: ResultsView, viewer: Viewer) -> list[Download]:
    """Return the picture, and the files from the API.

    The API does not read the cookies of these pages. Viewers who can see the results only as voters
    get links with their vote id; others do not, because such a link reveals the vote.
    """
    key = page.service.context.admin_key_of_creator(page.poll, page.browser)
    is_known = page.can_see_results(Viewer(Voter(page.browser), admin_key=key))
    url = page.url("picture.png")
    picture = Download("Picture", "The results to show in chats and slides.", "png", url)
    return [picture, *list_downloads(view.results, "" if is_known else viewer.vote_id or "")]
