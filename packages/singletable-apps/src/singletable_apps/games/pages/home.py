"""The first page, and links that give a browser a role."""

from __future__ import annotations

from fastapi import APIRouter, Response

from singletable_apps.games.errors import NotFound, NotSeated, RoomClosed
from singletable_apps.games.pages.dependencies import ADMIN, HOST, AnyPage
from singletable_apps.games.pages.play import show_closed
from singletable_apps.games.questions import ENGAGEMENT_NAMES
from singletable_apps.games.tokens import Role
from singletable_apps.shared.pages import ConfirmedAction, confirm

router = APIRouter()
# The latest games of a host that are checked for running ones.
_RUNNING = 5
_STATUSES: dict[type[Exception], int] = {NotFound: 404, NotSeated: 401, RoomClosed: 403}


@router.get("")
def show_home(page: AnyPage) -> Response:
    """Show where to join, how to host a game, and the running games of a host."""
    host_id = page.host_id
    latest = page.service.rounds.list_of_host(host_id, size=_RUNNING).items if host_id else []
    running = [each for each in latest if each.completed_at is None]
    return page.render("home", running=running, type_names=ENGAGEMENT_NAMES)


@router.get("/seat")
def take_seat(page: AnyPage, token: str = "") -> Response:
    """Give the browser the role of a link, and go to its screen."""
    try:
        found = page.service.context.tokens.read_actor(token).seat
        if found is None:
            raise NotSeated("This link is not complete. Copy it again.")
        seat, game = page.service.context.read_seat(token, found.game_id)
    except (NotFound, NotSeated, RoomClosed) as error:
        return show_closed(page, error, _STATUSES[type(error)])
    if seat.role in (Role.PLAYER, Role.AUDIENCE):
        # Browsers send the cookie of their seat only to the pages of the game.
        return page.redirect(page.urls.play(game.game_id, "seat", token=token))
    screen = page.urls.screen if seat.role is Role.SCREEN else page.urls.host
    path = screen(game.game_id)
    page.take_seat(token, path)
    return page.redirect(path)


@confirm(router, "/host-link")
def use_host_link(page: AnyPage, token: str = "") -> ConfirmedAction | Response:
    """Make the browser a host by a link from another device.

    Ask first if it already is another host: the link may be a stranger's, who would then get the
    games that this browser creates.
    """
    host_id, games = page.service.context.tokens.read_host(token), page.urls.page("games")
    done = "You are now a host in this browser too."
    if page.host_id in ("", host_id):
        HOST.set(page.request, token)
        return page.redirect(games, done)
    return ConfirmedAction(
        page,
        title="Become another host?",
        text="This link belongs to another host. Use it only if it is yours.",
        button="Become the other host",
        back=games,
        consequences=[
            "This browser loses the games and question sets that it has now, unless you have saved "
            "their host link.",
            "The owner of the link gets the games and sets that you create.",
        ],
        do=lambda _: HOST.set(page.request, token),
        done=done,
    )


@router.get("/admin-link")
def use_admin_link(page: AnyPage, token: str = "") -> Response:
    """Make the browser the administrator's until it is closed."""
    if not page.service.context.tokens.is_admin(token):
        raise NotFound("This admin link is not valid.")
    ADMIN.set(page.request, token)
    return page.redirect(page.urls.page("admin"))
