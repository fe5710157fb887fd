"""The administrator's pages."""

from __future__ import annotations

from datetime import timedelta

from singletable_apps.games.entities import Process
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType, SetDraft
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import CAPITAL, PRIMES


def test_overview_shows_games_and_who_is_connected(app: PagesApp) -> None:
    world = app.world
    game, _ = world.game(CAPITAL, PRIMES), world.game()
    world.join(game, "Ada")
    world.play(game, Command.START)
    now, context = world.clock(), world.service.context
    for number, (players, age) in enumerate(((7, 1), (5, 0), (9, 60))):
        context.store.put(
            Process(
                game_id=game.game_id,
                process_id=f"process{number}",
                players=players,
                seen_at=now - timedelta(seconds=age),
                expires_at=game.expires_at,
            )
        )
    admin = app.browser(admin=True)
    overview = admin.get("admin")
    assert overview.status_code == 200
    assert "12 connected" in overview.text
    assert "Answers are open" in overview.text
    assert f'href="/games/admin/games/{game.game_id}/end"' in overview.text


def test_game_is_ended_and_deleted_after_a_question(app: PagesApp) -> None:
    world = app.world
    game = world.game()
    admin = app.browser(admin=True)
    ask = admin.get("admin", "games", game.game_id, "end")
    assert world.service.context.get_state(game.game_id).phase is Phase.WAITING
    for _ in range(2):
        assert admin.submit(ask, "end").status_code == 303
    assert world.service.context.get_state(game.game_id).phase is Phase.ENDED
    ask = admin.get("admin", "games", game.game_id, "delete")
    for _ in range(2):
        assert admin.submit(ask, "delete").status_code == 303
    assert world.service.games.list_all().items == []


def test_all_games_are_deleted_only_after_typing_it(app: PagesApp) -> None:
    for _ in range(3):
        app.world.game()
    admin = app.browser(admin=True)
    ask = admin.get("admin", "clear")
    for phrase in ("", "yes"):
        assert admin.submit(ask, "clear", phrase=phrase).status_code == 422
    assert len(app.world.service.games.list_all().items) == 3
    # Some in each request: an interrupted one goes on with the next.
    assert app.world.service.admin.delete_games(2) is False
    assert admin.submit(ask, "clear", phrase=" Delete all games ").status_code == 303
    assert app.world.service.games.list_all().items == []


def test_sets_of_all_hosts_are_deactivated(app: PagesApp) -> None:
    app.world.service.sets.create("a" * 16, SetDraft("Night", "", EngagementType.TRIVIA))
    admin = app.browser(admin=True)
    shown = admin.get("admin", "sets")
    assert admin.submit(shown, "/deactivate").status_code == 303
    shown = admin.get("admin", "sets")
    assert "Not active" in shown.text
    assert admin.submit(shown, "/activate").status_code == 303
