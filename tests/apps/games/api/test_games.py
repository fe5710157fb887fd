"""Games in the API."""

from __future__ import annotations

from singletable_apps.games.phases import Command
from singletable_apps.games.tokens import Role
from tests.apps.games.api.client import Server, problem
from tests.apps.games.support.world import CAPITAL


def test_code_is_validated(server: Server) -> None:
    game = server.world.game()
    found = server.caller().get(f"/codes/{game.join_code}")
    assert found.json() == {"exists": True, "game_id": game.game_id, "title": game.title}
    assert server.caller().get("/codes/12").json()["exists"] is False


def test_view_never_shows_the_solution_before_the_reveal(server: Server) -> None:
    world = server.world
    game = world.game(CAPITAL)
    (ada,) = world.join(game, "Ada")
    world.play(game, Command.START)
    for caller in (
        server.caller(ada.token),
        server.host(),
        server.seat(game, Role.SCREEN),
        server.seat(game, Role.AUDIENCE),
    ):
        view = caller.get(f"/games/{game.game_id}/view").json()["view"]
        assert view["phase"] == "open"
        assert "correct" not in str(view)
    world.play(game, Command.CLOSE)
    view = server.caller(ada.token).get(f"/games/{game.game_id}/view").json()
    assert view["view"]["reveal"]["correct"] == ["b"]
    assert view["me"]["gained"] == 0


def test_token_of_another_game_is_rejected(server: Server) -> None:
    game, other = server.world.game(), server.world.game()
    (ada,) = server.world.join(other, "Ada")
    answer = server.caller(ada.token).get(f"/games/{game.game_id}/view")
    assert problem(answer)[:2] == (401, "not-signed-in")
    assert problem(server.caller("x.y").get(f"/games/{game.game_id}/view"))[0] == 401
