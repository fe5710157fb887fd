"""What a browser carries for one poll: its admin key, the code that it has voted with, its vote.

The cookies are sent to the pages of that poll alone, and no script reads them.
"""

from __future__ import annotations

from fastapi import Request

from singletable_apps.polls.entities import Poll
from singletable_apps.polls.pages.site import Site
from singletable_apps.polls.service import Viewer, Voter
from singletable_apps.polls.urls import poll_url
from singletable_apps.shared.web import LONGEST_AGE, Cookie

# The admin key stays. The code and the vote go when the browser is closed: others may use it too.
ADMIN = Cookie("polls_admin", max_age=LONGEST_AGE, has_path=True)
CODE = Cookie("polls_code", has_path=True)
VOTE = Cookie("polls_vote", has_path=True)
LONGEST = 100


def read_cookie(request: Request, cookie: Cookie) -> str | None:
    """Return what the browser keeps for the poll, or None."""
    sent = cookie.read(request)
    # Nothing that we set is longer.
    return sent if 0 < len(sent) <= LONGEST else None


def set_cookie(request: Request, poll: Poll, cookie: Cookie, value: str) -> None:
    """Keep a value for the pages of the poll."""
    cookie.set(request, value, path=poll_url(poll.id))


def delete_cookie(request: Request, poll: Poll, cookie: Cookie) -> None:
    """Delete a value that was kept for the poll."""
    cookie.delete(request, path=poll_url(poll.id))


def set_code(request: Request, site: Site, poll: Poll, code: str) -> None:
    """Keep the voting code that was used, sealed so that no other can be guessed from it."""
    secret = site.polls.context.secret
    number = secret.number_of(poll.id, code)
    if number is not None:
        set_cookie(request, poll, CODE, secret.kept_code(poll.id, number))


def read_code(request: Request, site: Site, poll: Poll) -> str | None:
    """Return the voting code that this browser used, or None."""
    return site.polls.context.secret.code_in(poll.id, read_cookie(request, CODE) or "")


def admin_key_of(request: Request, site: Site, browser: str | None, poll: Poll) -> str | None:
    """The admin key of the poll, if the browser carries it, or has made the poll."""
    context = site.polls.context
    if context.secret.is_admin(poll.id, read_cookie(request, ADMIN) or ""):
        return context.secret.admin_key(poll.id)
    return context.key_of_maker(poll, browser)


def viewer_of(request: Request, site: Site, browser: str | None, poll: Poll) -> Viewer:
    """By what somebody who looks at results is known."""
    return Viewer(
        Voter(browser, read_code(request, site, poll)),
        read_cookie(request, VOTE),
        admin_key_of(request, site, browser, poll),
    )
