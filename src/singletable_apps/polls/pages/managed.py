"""Pages for who manages a poll: known by the admin link, or as the browser that made it.

A handler asks for `own: ThisOwn`, the poll in the address with its key; who has no key is asked for
the admin link. `framed(site, own, "edit")` is what the frame of such a page needs; the last word is
the tab that is open, as in the address: "" (Overview), edit, codes.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from singletable_apps.polls.entities import Poll, Protection
from singletable_apps.polls.errors import NotAdmin
from singletable_apps.polls.pages.addresses import poll_address
from singletable_apps.polls.pages.carrying import admin_key_of
from singletable_apps.polls.pages.site import Site, ThisSite
from singletable_apps.polls.pages.visiting import Browser, ThisPoll, keep_private
from singletable_apps.polls.rules import gone, is_open
from singletable_apps.polls.service import Own
from singletable_apps.shared.pages import Link

NO_KEY = (
    "Only who has its admin link can manage a poll. The link was shown when the poll was made; and "
    "the browser in which it was made needs none."
)


def own_of(request: Request, site: Site, poll: Poll, browser: str | None) -> Own:
    """The poll with its key, for who may manage it."""
    keep_private(request)
    # First, for who has the key would ask in vain where to look for it.
    site.polls.desk.check_secret(poll)
    key = admin_key_of(request, site, browser, poll)
    if key is None:
        raise NotAdmin(NO_KEY)
    return Own(poll, key)


def _own(request: Request, site: ThisSite, poll: ThisPoll, browser: Browser) -> Own:
    return own_of(request, site, poll, browser)


# The poll in the address, and its admin key.
ThisOwn: TypeAlias = Annotated[Own, Depends(_own)]


def _leaving(request: Request, site: ThisSite, poll_id: str, browser: Browser) -> Own:
    poll = site.polls.desk.found(poll_id)
    if poll is None:
        raise gone(poll_id)
    return own_of(request, site, poll, browser)


# The same, also while it is being deleted: whoever was broken off in it goes on.
LeavingOwn: TypeAlias = Annotated[Own, Depends(_leaving)]


def manage_address(own: Own, *parts: str) -> str:
    """The address of a page that manages the poll."""
    return poll_address(own.poll.id, "manage", *parts)


def framed(site: Site, own: Own, here: str) -> dict[str, object]:
    """What the frame needs: the poll, whether it is open, and the tabs."""
    poll = own.poll
    tabs = [("Overview", "manage", ""), ("Edit", "manage/edit", "edit")]
    if poll.protection is Protection.CODES:
        tabs.append(("Codes", "manage/codes", "codes"))
    beside = [
        Link("Results", poll_address(poll.id, "results")),
        Link("Vote", poll_address(poll.id)),
    ]
    links = [Link(text, f"{poll_address(poll.id)}/{to}", tab == here) for text, to, tab in tabs]
    return {
        "poll": poll,
        "is_open": is_open(poll, site.polls.desk.clock()),
        "tabs": [*links, *beside],
    }
