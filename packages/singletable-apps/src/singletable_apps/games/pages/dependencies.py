"""Dependencies of page handlers: the visitor's role, and the navigation.

A browser is a host by a cookie that it gets with its first game. In a game it has a seat by a
cookie for the path of its screen, or because the game is its own. A handler looks like this; its
template extends `frame.html` and fills the block `page`:

    @router.get("/host/{game_id}")
    def show_host(page: DriverPage) -> Response:
        return page.render("host", view=page.view())
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import Depends, Request
from fastapi import Path as PathParameter

from singletable_apps.games.entities import Game, GameEntry
from singletable_apps.games.errors import NotPermitted, NotSeated
from singletable_apps.games.kinds import QUESTION_NAMES
from singletable_apps.games.service import GamesService
from singletable_apps.games.tokens import Actor, Role, Seat, new_id
from singletable_apps.games.urls import Urls
from singletable_apps.games.views import View
from singletable_apps.shared import frame
from singletable_apps.shared.pages import Link, path_of
from singletable_apps.shared.web import LONGEST_AGE, Cookie

Segment = Annotated[str, PathParameter(max_length=200)]

HOST = Cookie("games_host", max_age=LONGEST_AGE)
ADMIN = Cookie("games_admin", same_site="strict")
# One for the path of each screen, so that a browser can be a host in one game and play in another.
SEAT = Cookie("games_seat", max_age=LONGEST_AGE, has_path=True)

_NAVIGATION = (("Join", "join"), ("Your games", "games"), ("Question sets", "sets"))


def page_context(request: Request, service: GamesService) -> Mapping[str, object]:
    """Return the variables of every page."""
    urls = service.context.urls
    section = path_of(request).removeprefix(urls.page()).strip("/").split("/")[0]
    links = [*_NAVIGATION, *([("Admin", "admin")] if PageContext(request).is_admin else [])]
    return {
        "question_names": QUESTION_NAMES,
        "nav": [Link(text, urls.page(part), part == section) for text, part in links],
    }


@dataclass(frozen=True)
class PageContext(frame.PageContext[GamesService, Urls]):
    """The request, service and templates that a page handler uses."""

    folder = "games"

    @property
    def is_admin(self) -> bool:
        """Whether the browser is the administrator's."""
        return self.service.context.tokens.is_admin(ADMIN.read(self.request))

    @property
    def host_id(self) -> str:
        """The host id of the browser, or "" if it has not hosted a game yet."""
        try:
            return self.service.context.tokens.read_host(HOST.read(self.request))
        except NotSeated:
            return ""

    @property
    def actor(self) -> Actor:
        """The visitor's role: a seat for this path, the administrator, or a host."""
        try:
            seat = self.service.context.tokens.read_seat(SEAT.read(self.request))
        except NotSeated:
            return Actor(None, self.host_id, self.is_admin)
        return Actor(seat, self.host_id)

    def owns(self, game: Game | GameEntry) -> bool:
        """Return whether the browser belongs to the creator of the game, or the administrator."""
        return self.is_admin or game.created_by == self.host_id != ""

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


# A page for everyone.
AnyPage: TypeAlias = Annotated[PageContext, Depends(PageContext.public)]


def _seat_page(page: AnyPage, game_id: Segment) -> SeatPageContext:
    return SeatPageContext(page.request, *page.service.context.seat_of(page.actor, game_id))


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
