"""Pages about one election: which it is, and what to say where something cannot be done now.

A handler of an `election_router()` asks for `election: ThisElection`, the one in the address. What
the rules refuse because of its state, or of whose it is, becomes a page in its frame.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeAlias, cast

from fastapi import APIRouter, Depends, Request, Response
from fastapi.routing import APIRoute

from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.entities import Election
from singletable_apps.elections.errors import NotPermitted, WrongState
from singletable_apps.elections.pages.election_frame import framed
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Viewer, Visit


class _Framed(APIRoute):
    """A route that shows refusals in the frame of the election they are about."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, with what happens around it."""
        handle = super().get_route_handler()

        async def framing(request: Request) -> Response:
            try:
                return await handle(request)
            except (WrongState, NotPermitted) as refusal:
                election: Election | None = getattr(request.state, "election", None)
                if election is None:
                    raise
                return _not_now(request, election, refusal)

        return framing


class _ElectionVisit(Visit, _Framed):
    """A visit to a page of an election."""


def election_router() -> APIRouter:
    """A router for pages about one election."""
    return APIRouter(route_class=_ElectionVisit)


def _chosen(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Election:
    election = site.elections.results.settled(name)
    request.state.election = election
    return election


# The election in the address, closed first if its time is up.
ThisElection: TypeAlias = Annotated[Election, Depends(_chosen)]


def _not_now(request: Request, election: Election, refusal: WrongState | NotPermitted) -> Response:
    site = cast(Site, request.app.state.election_pages)
    forbidden = isinstance(refusal, NotPermitted)
    return site.pages.page(
        request,
        "elections/not_now.html",
        403 if forbidden else 409,
        **framed(site, election, request.state.user, ""),
        title="This is for others to do" if forbidden else "Not at this point",
        words=str(refusal),
    )
