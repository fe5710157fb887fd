"""Take the pictures of a live game, played by a host and phones: python -m tools.games_pictures."""

from __future__ import annotations

import time
from dataclasses import replace

from singletable import connect
from singletable_apps.games.app import APP
from singletable_apps.games.entities import Game, GameSettings
from singletable_apps.games.phases import Command
from singletable_apps.games.service import GamesService, open_games
from singletable_apps.games.service.answers import Submission
from singletable_apps.games.service.games import draft_from_set
from singletable_apps.games.set_library import load_samples
from singletable_apps.games.tokens import Role
from singletable_apps.games.urls import Urls
from singletable_apps.shared.serve import PublicUrl
from tools.screenshots import launch_browser, open_page, save, screenshot, serve, side_by_side

_SECRET = b"a secret only for pictures, 32 bytes"
_HOST = "pictures00000000"
_NAMES = ("Amara", "Bo", "Chidi", "Dolores", "Elif", "Farid", "Greta", "Hiro", "Ines", "Jonas")
# Which of the options a to d each player chooses.
_CHOICES = ("d", "d", "b", "d", "a", "d", "d", "c", "d", "d")


def main() -> None:
    """Play a question of a sample set, and take each picture."""
    service = open_games(connect("memory:"), _SECRET, urls=Urls(public="https://play.example"))
    app = APP.make_app(service, PublicUrl("http://127.0.0.1").settings())
    draft = draft_from_set(load_samples()["curious-planet"], "set", 1)
    settings = GameSettings(reading_seconds=0)
    game = service.games.create(_HOST, replace(draft, settings=settings))
    players = [service.players.join(game.game_id, name) for name in _NAMES]
    with serve(app) as address, launch_browser() as browser:
        host, screen = open_page(browser, "light", 1280, 720), open_page(browser, "dark", 1280, 720)
        for page, role in ((host, Role.HOST), (screen, Role.SCREEN)):
            page.goto(address + service.context.urls.seat(service.context.issue_seat(game, role)))
        phone = open_page(browser, "light", 390, 844)
        phone.goto(address + service.context.urls.seat(players[0].token))
        service.rounds.command(game.game_id, Command.START)
        phone.get_by_role("heading", name="On which planet").wait_for()
        first = screenshot(phone)
        for player, choice in zip(players, _CHOICES, strict=True):
            _answer(service, game, player.player.player_id, choice)
        service.rounds.command(game.game_id, Command.CLOSE)
        screen.get_by_text("Venus").first.wait_for()
        phone.get_by_text("points").first.wait_for()
        time.sleep(3)  # the bars grow
        save("games.webp", screenshot(screen))
        save("games_phone.webp", side_by_side(browser, first, screenshot(phone)))


def _answer(service: GamesService, game: Game, player_id: str, choice: str) -> None:
    state = service.context.get_state(game.game_id)
    sent = Submission(player_id, state.question_id, service.context.clock(), choices=(choice,))
    service.answers.submit(game.game_id, sent)


if __name__ == "__main__":
    main()
