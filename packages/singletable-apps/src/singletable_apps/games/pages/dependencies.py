"""Dependencies of page handlers: the site, the visitor's role, and the navigation.

A browser is a host by a cookie that it gets with its first game. In a game it has a seat by a
cookie for the path of its screen, or because the game is its own. A handler looks like this; its
template extends `frame.html` and fills the block `page`:

    @router.get("/host/{game_id}")
    def show_host(page: DriverPage) -> Response:
        return page.render("host", view=page.view())
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias, cast

from fastapi import Depends, Request
from fastapi import Path as PathParameter

from singletable_apps.games.entities import Game
from singletable_apps.games.errors import GamesBusy, InvalidInput, NotPermitted, NotSeated
from singletable_apps.games.limits import Limits
from singletable_apps.games.questions import QUESTION_NAMES
from singletable_apps.games.service import GamesService
from singletable_apps.games.tokens import Actor, Role, Seat, new_id
from singletable_apps.games.urls import PREFIX, Urls
from singletable_apps.games.views import View
from singletable_apps.shared import pages
from singletable_apps.shared.pages import Link, Pages, Product, path_of
from singletable_apps.shared.web import LONGEST_AGE, Cookie, limited_by

Segment = Annotated[str, PathParameter(max_length=200)]

HOST = Cookie("games_host", max_age=LONGEST_AGE)
ADMIN = Cookie("games_admin", same_site="strict")
# One for the path of each screen, so that a browser can be a host in one game and play in another.
SEAT = Cookie("games_seat", max_age=LONGEST_AGE, has_path=True)


@dataclass(frozen=True)
class GamesSite:
    """What every page handler uses."""

    service: GamesService
    pages: Pages
    limits: Limits = field(default_factory=Limits)


def make_site(service: GamesService, limits: Limits) -> GamesSite:
    """Return the site of an open service."""
    urls = service.context.urls
    templates = Pages(
        "games",
        Path(__file__).parent.parent,
        secret=service.context.secret,
        product=Product("Games", urls.page(), "Live games for everyone in the room."),
        prefix=PREFIX,
        context=lambda request: _page_context(request, service),
    )
    return GamesSite(service, templates, limits)


def get_site(request: Request) -> GamesSite:
    """Return the site of a request."""
    return cast(GamesSite, request.app.state.games_pages)


# Returns the `dependencies=` of a handler with one of the limits per client network.
limited = limited_by(lambda request: get_site(request).limits)


async def _current_site(request: Request) -> GamesSite:
    return get_site(request)


CurrentSite: TypeAlias = Annotated[GamesSite, Depends(_current_site)]

_NAVIGATION = (
    ("Join", "join"),
    ("Your games", "games"),
    ("Question sets", "sets"),
)


def _page_context(request: Request, service: GamesService) -> Mapping[str, object]:
    """Return the variables of every page."""
    urls = service.context.urls
    section = path_of(request).removeprefix(urls.page()).strip("/").split("/")[0]
    links = [*_NAVIGATION, *([("Admin", "admin")] if is_admin(request, service) else [])]
    return {
        "urls": urls,
        "question_names": QUESTION_NAMES,
        "nav": [Link(text, urls.page(part), part == section) for text, part in links],
    }


def is_admin(request: Request, service: GamesService) -> bool:
    """Return whether the browser is the administrator's."""
    return service.context.tokens.is_admin(ADMIN.read(request))


def find_host_id(request: Request, service: GamesService) -> str:
    """Return the host id of the browser, or "" if it has not hosted a game yet."""
    try:
        return service.context.tokens.read_host(HOST.read(request))
    except NotSeated:
        return ""


def find_actor(request: Request, service: GamesService) -> Actor:
    """Return the visitor's role: a seat for this path, the administrator, or a host."""
    tokens = service.context.tokens
    host_id = find_host_id(request, service)
    try:
        return Actor(tokens.read_seat(SEAT.read(request)), host_id)
    except NotSeated:
        return Actor(None, host_id, is_admin(request, service))


@dataclass(frozen=True)
class PageContext(pages.PageContext):
    """The request, service and templates that a page handler uses."""

    folder = "games"
    rejects = (InvalidInput, GamesBusy)
    site: GamesSite

    @property
    def pages(self) -> Pages:
        """Return the pages of the app."""
        return self.site.pages

    @property
    def service(self) -> GamesService:
        """Return the service."""
        return self.site.service

    @property
    def urls(self) -> Urls:
        """Return the URLs of the site."""
        return self.site.service.context.urls

    @property
    def host_id(self) -> str:
        """Return the host id of the browser, or ""."""
        return find_host_id(self.request, self.service)

    @property
    def is_admin(self) -> bool:
        """Return whether the browser is the administrator's."""
        return is_admin(self.request, self.service)

    def become_host(self) -> str:
        """Return the host id of the browser, which gets one if it has none."""
        host_id = self.host_id or new_id()
        HOST.set(self.request, self.service.context.tokens.host_token(host_id))
        return host_id

    def take_seat(self, token: str, path: str) -> None:
        """Give the browser a seat for the screen at this path."""
        SEAT.set(self.request, token, path=path)


@dataclass(frozen=True)
class SeatPageContext(PageContext):
    """A request of someone with a seat in a game."""

    seat: Seat
    game: Game

    @property
    def token(self) -> str:
        """Return the token with which scripts of this page call the API and open the socket."""
        sent = SEAT.read(self.request)
        if self.seat.player_id or (sent and self.seat.role is not Role.ADMIN):
            return sent or self.service.context.tokens.seat_token(self.seat)
        return self.service.context.issue_seat(self.game, self.seat.role)

    def view(self) -> View:
        """Return the current view of the role."""
        return self.service.snapshots.view(self.game.game_id, self.seat.role)


async def _any_page(request: Request, site: CurrentSite) -> PageContext:
    return PageContext(request, site)


def _seat_page(request: Request, site: CurrentSite, game_id: Segment) -> SeatPageContext:
    actor = find_actor(request, site.service)
    seat, game = site.service.context.seat_of(actor, game_id)
    return SeatPageContext(request, site, seat, game)


# A page for everyone.
AnyPage: TypeAlias = Annotated[PageContext, Depends(_any_page)]
# A page for those with a seat in the game `game_id` of the path.
SeatPage: TypeAlias = Annotated[SeatPageContext, Depends(_seat_page)]


async def _driver_page(page: SeatPage) -> SeatPageContext:
    if not page.seat.can_drive:
        raise NotPermitted("Only hosts can see this page.")
    return page


async def _admin_page(page: AnyPage) -> PageContext:
    if not page.is_admin:
        raise NotPermitted("Open the link that `singletable games admin-link` prints.")
    return page


# A page for hosts and co-hosts of the game, and for the administrator.
DriverPage: TypeAlias = Annotated[SeatPageContext, Depends(_driver_page)]
AdminPage: TypeAlias = Annotated[PageContext, Depends(_admin_page)]
