"""How often one address may do something on pages: the limits are those of the API."""

from __future__ import annotations

from fastapi import Request

from singletable_apps.polls.entities import Poll
from singletable_apps.polls.errors import NoCode
from singletable_apps.polls.pages.site import Site
from singletable_apps.polls.service import Voter
from singletable_apps.shared.web import RateLimit, client_address, household


def count(request: Request, limit: RateLimit | None) -> None:
    """Count a request of somebody; a 429 page if there were too many."""
    if limit is not None:
        limit.hit(household(client_address(request)))


def check_guess(request: Request, site: Site, poll: Poll, code: str) -> None:
    """Count a code that is none. Who has sent too many learns of no further one what it is."""
    limit = site.settings.limits.guess
    if limit is None or not code:
        return
    limit.check(household(client_address(request)))
    try:
        site.polls.voting.vote_id(poll, Voter(code=code))
    except NoCode:
        count(request, limit)
