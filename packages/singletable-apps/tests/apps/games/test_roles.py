"""Who may do what: every role on every operation of the API, and on every page.

A new operation or page has to be added to the tables below, or the tests fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from singletable_apps.games import pages
from singletable_apps.games.entities import Game
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import EngagementType, SetDraft
from singletable_apps.games.tokens import Role, Seat, new_id
from singletable_apps.games.urls import API
from tests.apps.games.api.client import Server
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import HOST, LESSON, World
from tests.apps.support.api_client import Caller

# ------------------------------------------------------------------------------ the API

PLAYER = {"player"}
SEATED = {"player", "audience", "screen", "cohost", "host", "owner", "admin"}
DRIVER = {"cohost", "host", "owner", "admin"}
OWNER = DRIVER - {"cohost"}
ADMIN = {"admin"}
# Hosts by the token of their browser; a seat is for one game.
HOSTS = {"owner", "stranger"}
SETS = {*HOSTS, "admin"}
ALL = {*SEATED, "nobody", "stranger", "elsewhere"}
BY_POWER = (
    *("nobody", "elsewhere", "audience", "screen", "player"),
    *("stranger", "cohost", "host", "owner", "admin"),
)

OPERATIONS: dict[str, set[str]] = {
    "POST /games": ALL,
    "GET /games": HOSTS,
    "GET /games/{game_id}": SEATED,
    "GET /games/{game_id}/validate": ALL,
    "GET /games/{game_id}/view": SEATED,
    "PUT /games/{game_id}/homework": DRIVER,
    "POST /games/{game_id}/homework/next": PLAYER,
    "GET /games/{game_id}/state": SEATED,
    "PUT /games/{game_id}/state": DRIVER,
    "POST /games/{game_id}/update-title": DRIVER,
    "POST /games/{game_id}/debug-mode": DRIVER,
    "POST /games/{game_id}/clear": OWNER,
    "POST /games/{game_id}/players": ALL,
    "GET /games/{game_id}/players": SEATED,
    "POST /games/{game_id}/answers": PLAYER,
    "POST /games/{game_id}/votes": PLAYER,
    "POST /games/{game_id}/players/{player_id}/rename": DRIVER,
    "POST /games/{game_id}/players/{player_id}/team": DRIVER,
    "POST /games/{game_id}/players/{player_id}/remove": DRIVER,
    "POST /games/{game_id}/answers/{question_id}/{answer_id}/{verdict}": DRIVER,
    "POST /games/{game_id}/ballot/{answer_id}/{change}": DRIVER,
    "POST /games/{game_id}/audience-questions": PLAYER,
    "PUT /games/{game_id}/audience-questions/{asked_id}/vote": PLAYER,
    "POST /games/{game_id}/audience-questions/{asked_id}/{status}": DRIVER,
    "GET /games/{game_id}/events": SEATED,
    "POST /games/{game_id}/messages": SEATED,
    "GET /games/{game_id}/report": DRIVER,
    "GET /games/{game_id}/report/{table}": DRIVER,
    "GET /games/{game_id}/summary/{question_id}": DRIVER,
    "POST /games/{game_id}/summary/{question_id}": DRIVER,
    "GET /question-sets": ALL,
    "GET /sets": SETS,
    "POST /sets": SETS,
    "GET /set-schema.json": ALL,
    "GET /sets/{set_id}": SETS,
    "PUT /sets/{set_id}": SETS,
    "DELETE /sets/{set_id}": SETS,
    "GET /sets/{set_id}/export": SETS,
    "GET /asyncapi.json": ALL,
    "GET /admin/games": ADMIN,
}
VALUES = {
    "status": "shown",
    "verdict": "hide",
    "change": "hide",
    "table": "answers.csv",
}


def fill_in(path: str, game: Game) -> str:
    """Return a path with the id of the game, and with ids that do not exist."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        return game.game_id if name == "game_id" else VALUES.get(name, "0" * 16)

    return re.sub(r"\{(\w+)\}", value, path)


class People:
    """Clients of each kind for a game that has begun. One client serves all: making it is slow."""

    def __init__(self, server: Server, game: Game) -> None:
        world, self.context = server.world, server.world.service.context
        self.game_id = game.game_id
        self.client = server.caller()
        (ada,), (eve,) = world.join(game, "Ada"), world.join(world.game(), "Eve")
        world.play(game, Command.START)
        tokens = self.context.tokens
        self.tokens = {
            "nobody": "",
            "player": ada.token,
            "elsewhere": eve.token,
            "owner": tokens.host_token(HOST),
            "stranger": tokens.host_token(new_id()),
            "admin": tokens.admin_token(),
        }
        self.names = {*self.tokens, "audience", "screen", "cohost", "host"}

    def __getitem__(self, name: str) -> Caller:
        token = self.tokens.get(name)
        if token is None:
            # Links may have been replaced, so this is a new one.
            token = self.context.issue_seat(self.context.get_game(self.game_id), Role(name))
        return replace(self.client, token=token)


def denied_status(caller: str, path: str) -> int:
    """Return 401 for those without a seat in the game, 403 for those with another role."""
    is_of_game = "{game_id}" in path and not path.startswith("/admin/")
    return (
        401 if caller == "nobody" or (is_of_game and caller in ("stranger", "elsewhere")) else 403
    )


def test_every_operation_has_an_entry(server: Server) -> None:
    described = {
        f"{method.upper()} {path.removeprefix(API)}"
        for path, methods in server.app.openapi()["paths"].items()
        for method in methods
    }
    assert described == OPERATIONS.keys()


def test_operations_are_denied_to_other_roles(server: Server) -> None:
    game = server.world.game(LESSON)
    people = People(server, game)
    wrong: list[tuple[str, str, int]] = []
    for operation, allowed in OPERATIONS.items():
        method, path = operation.split(" ")
        for name in people.names - allowed:
            status = people[name].ask(method, fill_in(path, game), json={}).status_code
            if status != denied_status(name, path):
                wrong.append((operation, name, status))
    assert not wrong
    assert server.world.service.context.get_game(game.game_id).revision == game.revision


def test_operations_are_allowed_to_the_least_of_their_roles(server: Server) -> None:
    game = server.world.game(LESSON)
    people = People(server, game)
    wrong: list[tuple[str, str, int]] = []
    for operation, allowed in OPERATIONS.items():
        method, path = operation.split(" ")
        more: dict[str, Any] = {"params": {"wait": "0"}} if path.endswith("/events") else {}
        name = next(each for each in BY_POWER if each in allowed)
        if "clear" not in path:
            answer = people[name].ask(method, fill_in(path, game), json={}, **more)
            if answer.status_code in (401, 403) or answer.status_code >= 500:
                wrong.append((operation, name, answer.status_code))
    assert not wrong


def test_deleting_is_allowed_to_its_roles(server: Server) -> None:
    for name in OWNER:
        game = server.world.game()
        owner = People(server, game)[name]
        assert owner.post(f"/games/{game.game_id}/clear").status_code == 204
        listed = server.admin().get("/admin/games").json()["items"]
        assert game.game_id not in {each["gameId"] for each in listed}


@pytest.mark.parametrize("token", ["x", "player.0.0.0", "h.0.0", "admin", "...", "a" * 5_000])
def test_wrong_tokens_are_not_accepted(server: Server, token: str) -> None:
    game = server.world.game()
    for path in ("view", "report"):
        answer = server.caller(token).get(f"/games/{game.game_id}/{path}")
        assert answer.status_code == 401


def test_seats_cannot_be_made_up(server: Server) -> None:
    context, game = server.world.service.context, server.world.game()
    (ada,) = server.world.join(game, "Ada")
    forged = ada.token.replace("player.", "host.", 1)
    assert server.caller(forged).get(f"/games/{game.game_id}/report").status_code == 401
    admin = context.tokens.seat_token(Seat(Role.ADMIN, game.game_id))
    # Only the administrator's own token gives this role.
    assert server.caller(admin).get("/admin/games").status_code == 403


# ------------------------------------------------------------------------------ pages

# Browsers: of nobody, of another host, of the host of the game and the set, of the administrator.
EVERYONE = {"nobody", "stranger", "owner", "admin"}
OWN = {"owner", "admin"}
PAGES: dict[str, set[str]] = {
    "": EVERYONE,
    "/admin": ADMIN,
    "/admin/games/{game_id}/end": ADMIN,
    "/admin/games/{game_id}/delete": ADMIN,
    "/admin/clear": ADMIN,
    "/admin/sets": ADMIN,
    "/admin/sets/{set_id}/{change}": ADMIN,
    "/seat": set(),
    "/host-link": set(),
    "/admin-link": set(),
    "/new": EVERYONE,
    "/games": EVERYONE,
    "/games/{game_id}/delete": OWN,
    "/host/{game_id}": OWN,
    "/screen/{game_id}": OWN,
    "/host/{game_id}/again": OWN,
    "/host/{game_id}/next": OWN,
    "/screen/{game_id}/next": OWN,
    "/host/{game_id}/command": OWN,
    "/host/{game_id}/homework": OWN,
    "/host/{game_id}/room": OWN,
    "/host/{game_id}/categories": OWN,
    "/host/{game_id}/share": OWN,
    "/host/{game_id}/links/{role}": OWN,
    "/host/{game_id}/answers": OWN,
    "/host/{game_id}/audience/{asked_id}/{status}": OWN,
    "/host/{game_id}/teams": OWN,
    "/host/{game_id}/players/{player_id}": OWN,
    "/host/{game_id}/players/{player_id}/remove": OWN,
    "/join": EVERYONE,
    "/play/{game_id}/join": EVERYONE,
    "/play/{game_id}": EVERYONE,
    "/play/{game_id}/answer": EVERYONE,
    "/play/{game_id}/homework": EVERYONE,
    "/play/{game_id}/vote": EVERYONE,
    "/play/{game_id}/device": EVERYONE,
    "/play/{game_id}/leave": EVERYONE,
    "/play/{game_id}/next": EVERYONE,
    "/play/{game_id}/seat": set(),
    "/host/{game_id}/report": OWN,
    "/host/{game_id}/report/{name}": OWN,
    "/host/{game_id}/report/summaries/{question_id}": OWN,
    "/sets/import": EVERYONE,
    "/sets/import/example.{kind}": EVERYONE,
    "/sets/import/save": EVERYONE,
    "/sets": EVERYONE,
    "/sets/new": EVERYONE,
    "/sets/templates/{name}": EVERYONE,
    "/sets/{set_id}": OWN,
    "/sets/{set_id}/edit": OWN,
    "/sets/{set_id}/sharing": OWN,
    "/sets/{set_id}/copy": OWN,
    "/sets/{set_id}/delete": OWN,
    "/sets/{set_id}/versions": OWN,
    "/sets/{set_id}/versions/{number}": OWN,
    "/sets/{set_id}/export": OWN,
    "/sets/{set_id}/export/{kind}": OWN,
    "/images/{name}/{width}.webp": EVERYONE,
    "/sets/{set_id}/questions/new": OWN,
    "/sets/{set_id}/questions/bank": OWN,
    "/sets/{set_id}/questions/{number}": OWN,
    "/sets/{set_id}/questions/{number}/move": OWN,
    "/sets/{set_id}/questions/{number}/delete": OWN,
}
# 415: a form with files is read before its page.
DENIED = (401, 403, 404, 415)


def page_routes() -> Iterator[tuple[str, str]]:
    for module in vars(pages).values():
        for route in getattr(getattr(module, "router", None), "routes", ()):
            yield from ((method, route.path) for method in sorted(route.methods))


def test_every_page_has_an_entry() -> None:
    assert {path for _, path in page_routes()} == PAGES.keys()


def test_pages_are_denied_to_other_browsers(memory: World) -> None:
    app = PagesApp(memory)
    game = memory.game(LESSON)
    memory.play(game, Command.START)
    draft = SetDraft("Mine", "", EngagementType.TRIVIA)
    set_id = memory.service.sets.create(HOST, draft).set_id
    values = {"game_id": game.game_id, "set_id": set_id, "number": "1", "kind": "json"}
    stranger = app.browser()
    stranger.http.cookies.set("games_host", memory.service.context.tokens.host_token(new_id()))
    browsers = {"nobody": app.browser(), "stranger": stranger, "owner": app.browser(host=True)}
    wrong: list[tuple[str, str, str, int]] = []
    for method, path in page_routes():
        url = "/games" + re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], "x"), path)
        for name in browsers.keys() - PAGES[path]:
            browser = browsers[name]
            answer = browser.open(url) if method == "GET" else browser.post(url)
            if answer.status_code not in DENIED:
                wrong.append((method, path, name, answer.status_code))
    assert not wrong
