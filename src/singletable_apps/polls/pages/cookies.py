"""What a browser carries for one poll: its admin key, the code that it has voted with, its vote.

The cookies are sent to the pages of that poll alone, and no script reads them.
"""

from __future__ import annotations

from fastapi import Request, Response

from singletable_apps.polls.api.cookies import KEPT_SECONDS
from singletable_apps.polls.entities import Poll
from singletable_apps.polls.pages.site import Site
from singletable_apps.polls.service import Viewer, Voter
from singletable_apps.polls.urls import poll_url

# An admin key stays; a code and a vote go when the browser is closed, for others may use it too.
ADMIN, CODE, VOTE = "polls_admin", "polls_code", "polls_vote"
LONGEST = 100


def carried(request: Request, site: Site, name: str) -> str | None:
    """What the browser carries under a name; None if there is nothing."""
    sent = request.cookies.get(_named(site, name), "")
    # Whatever a browser sends, this long is nothing that we have given it.
    return sent if 0 < len(sent) <= LONGEST else None


def carry(response: Response, site: Site, poll: Poll, name: str, value: str) -> None:
    """Let the browser carry something for the poll."""
    response.set_cookie(
        _named(site, name),
        value,
        max_age=KEPT_SECONDS if name == ADMIN else None,
        path=poll_url(poll.id),
        secure=site.settings.secure_cookies,
        httponly=True,
        samesite="lax",
    )


def drop(response: Response, site: Site, poll: Poll, name: str) -> None:
    """Let the browser forget something."""
    response.delete_cookie(
        _named(site, name),
        path=poll_url(poll.id),
        secure=site.settings.secure_cookies,
        httponly=True,
        samesite="lax",
    )


def carry_code(response: Response, site: Site, poll: Poll, code: str) -> None:
    """Let the browser carry the code that was voted with, so sealed that none can be guessed."""
    secret = site.polls.context.secret
    number = secret.number_of(poll.id, code)
    if number is not None:
        carry(response, site, poll, CODE, secret.kept_code(poll.id, number))


def carried_code(request: Request, site: Site, poll: Poll) -> str | None:
    """The code that the browser has voted with; None if it carries none that we have sealed."""
    return site.polls.context.secret.code_in(poll.id, carried(request, site, CODE) or "")


def admin_key_of(request: Request, site: Site, browser: str | None, poll: Poll) -> str | None:
    """The admin key of the poll, if the browser carries it, or has made the poll."""
    context = site.polls.context
    if context.secret.is_admin(poll.id, carried(request, site, ADMIN) or ""):
        return context.secret.admin_key(poll.id)
    return context.key_of_maker(poll, browser)


def viewer_of(request: Request, site: Site, browser: str | None, poll: Poll) -> Viewer:
    """By what somebody who looks at results is known."""
    return Viewer(
        Voter(browser, carried_code(request, site, poll)),
        carried(request, site, VOTE),
        admin_key_of(request, site, browser, poll),
    )


def _named(site: Site, name: str) -> str:
    return f"__Secure-{name}" if site.settings.secure_cookies else name
