"""A visit to a page: the browser is known by a cookie, and refusals become pages."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Annotated, Any, TypeAlias, cast

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute

from singletable_apps.polls.api import cookies
from singletable_apps.polls.api.problems import problem_of
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import NoCode, NotAdmin, PollsError
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.service import RevisionCheck, Voter
from singletable_apps.polls.urls import poll_url
from singletable_apps.shared.pages import Form
from singletable_apps.shared.web import Problem, RateLimit, client_address, client_network


class PageRoute(APIRoute):
    """A route to a page: refusals become pages, and a browser that is new is given its cookie."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with what happens around it."""
        handle = super().get_route_handler()

        async def visit(request: Request) -> Response:
            site = cast(Site, request.app.state.poll_pages)
            try:
                response = await handle(request)
            except Problem as problem:
                response = site.pages.render_problem(request, problem)
            except NotAdmin as refusal:
                response = locked(request, site, str(refusal))
            except PollsError as refusal:
                response = site.pages.render_problem(request, problem_of(refusal))
            token: str | None = getattr(request.state, "new_token", None)
            if token is not None:
                cookies.keep(response, token, secure=site.settings.secure_cookies)
            if getattr(request.state, "is_private", False):
                response.headers["Cache-Control"] = "no-store"
            return response

        return visit


def locked(request: Request, site: Site, words: str, form: Form | None = None) -> Response:
    """Asks for the admin link of a poll, where one is needed; again, if what was typed is none."""
    to = poll_url(request.path_params["poll_id"], "manage", "key")
    return site.pages.render(
        request, "polls/locked.html", 403, words=words, to=to, form=form or Form()
    )


def page_router() -> APIRouter:
    """A router for pages of one topic."""
    return APIRouter(route_class=PageRoute)


def _browser(request: Request, site: ThisSite) -> str | None:
    return cookies.token_of(request, secure=site.settings.secure_cookies)


# What the browser is known by, if it has been here.
Browser: TypeAlias = Annotated[str | None, Depends(_browser)]


def known(request: Request, browser: str | None) -> str:
    """What the browser is known by; one that is new is known from this answer on."""
    if browser is None:
        browser = request.state.new_token = cookies.new_token()
    return browser


def keep_private(request: Request) -> None:
    """Let no browser keep the answer: it has a key, codes, or what somebody voted."""
    request.state.is_private = True


def _poll(site: ThisSite, poll_id: str) -> Poll:
    return site.polls.context.poll(poll_id)


# The poll in the address: `/p/{poll_id}/…`.
CurrentPoll: TypeAlias = Annotated[Poll, Depends(_poll)]


def count(request: Request, limit: RateLimit | None) -> None:
    """Count a request of somebody; a 429 page if there were too many."""
    if limit is not None:
        limit.hit(client_network(client_address(request)))


def check_guess(request: Request, site: Site, poll: Poll, code: str) -> None:
    """Count a code that is none. Who has sent too many learns of no further one what it is."""
    limit = site.settings.limits.guess
    if limit is None or not code:
        return
    limit.check(client_network(client_address(request)))
    try:
        site.polls.voting.vote_id(poll, Voter(code=code))
    except NoCode:
        count(request, limit)


# Precondition Failed: what the form was based on is not so any more.
STATUS = 412
MEANWHILE = "Somebody changed the poll meanwhile, and nothing was done. "


class RevisionConflict(Exception):
    """What was to be changed is another by now."""


def based_on(form: Form, field: str = "revision") -> RevisionCheck:
    """Raises ChangedMeanwhile unless the number is the one that the form carries."""
    shown = form.value(field)

    def check(number: int) -> None:
        if shown != str(number):
            raise RevisionConflict

    return check


def on(form: Form, revision: int) -> Form:
    """The same form, based on another revision."""
    return replace(form, values={**form.values, "revision": str(revision)})
