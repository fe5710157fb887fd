"""Questions of players to the host, with votes, and reactions."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from openpyxl import load_workbook

from singletable import Scan
from singletable_apps.games.entities import AskedStatus, Game, Profanity
from singletable_apps.games.errors import InvalidInput, NotFound, RoomClosed
from singletable_apps.games.live import LiveGames
from singletable_apps.games.phases import Command
from singletable_apps.games.service import table_name
from singletable_apps.games.service.audience import LONGEST, MAX_OF_PLAYER
from singletable_apps.games.tokens import Role
from singletable_apps.shared.web import RateLimit
from tests.apps.games.api.client import Server
from tests.apps.games.live.clients import connect, connect_phones
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import SETTINGS, Phone, World
from tests.apps.shared.rooms.clients import in_event_loop

ASKING = replace(SETTINGS, takes_questions=True, is_anonymous=False)


def ask(phone: Phone, text: str) -> str:
    """Ask, and return the id of the question."""
    game = phone.world.service.context.get_game(phone.game_id)
    return phone.world.service.audience.ask(game, phone.player_id, text).asked_id


def vote(phone: Phone, asked_id: str, is_on: bool = True) -> None:
    game = phone.world.service.context.get_game(phone.game_id)
    phone.world.service.audience.vote(game, phone.player_id, asked_id, is_on=is_on)


def listed(world: World, game: Game, role: Role) -> list[tuple[Any, ...]]:
    world.service.snapshots.forget_players(game.game_id)
    questions = world.service.snapshots.view(game.game_id, role)["audience"]["questions"]
    return [(each["text"], each["votes"], each["name"], each["status"]) for each in questions]


def test_questions_are_ordered_by_votes_of_active_players(world: World) -> None:
    game = world.game(settings=ASKING)
    ada, bob, cy = world.join(game, "Ada", "Bob", "Cy")
    first, second = ask(ada, "Why?"), ask(bob, "  When \n is lunch? ")
    assert ask(bob, "When is lunch?") == second
    for phone in (ada, ada, cy):
        vote(phone, second)
    vote(bob, first)
    expected = [("When is lunch?", 2, "Bob", "visible"), ("Why?", 1, "Ada", "visible")]
    assert listed(world, game, Role.PLAYER) == expected
    vote(ada, second, is_on=False)
    world.service.players.remove(game.game_id, cy.player_id)
    assert [row[:2] for row in listed(world, game, Role.SCREEN)] == [
        ("Why?", 1),
        ("When is lunch?", 0),
    ]
    snapshot = world.service.snapshots.read(game.game_id)
    assert world.service.snapshots.player_view(snapshot, bob.player_id)["upvotes"] == [first]


def test_only_hosts_see_questions_that_wait_and_nobody_secret_authors(memory: World) -> None:
    settings = replace(ASKING, is_moderated=True, is_anonymous=True)
    game = memory.game(settings=settings)
    (ada,) = memory.join(game, "Ada")
    asked = ask(ada, "Why?")
    with pytest.raises(NotFound):
        vote(ada, asked)
    assert listed(memory, game, Role.PLAYER) == []
    assert listed(memory, game, Role.COHOST) == [("Why?", 0, "", "pending")]
    memory.service.audience.decide(game, asked, AskedStatus.VISIBLE)
    assert listed(memory, game, Role.PLAYER) == [("Why?", 0, "", "visible")]
    memory.service.games.edit(game.game_id, takes_questions=False)
    assert listed(memory, game, Role.COHOST) == []


def test_one_question_is_shown_large_at_a_time(memory: World) -> None:
    game = memory.game(settings=ASKING)
    (ada,) = memory.join(game, "Ada")
    ids = [ask(ada, text) for text in ("One?", "Two?", "Three?")]
    for asked_id, status in zip(ids * 2, ["shown", "hidden", "shown", "answered"], strict=False):
        memory.service.audience.decide(game, asked_id, AskedStatus(status))
    assert [row[3] for row in listed(memory, game, Role.HOST)] == ["answered", "hidden", "shown"]
    with pytest.raises(NotFound):
        memory.service.audience.decide(game, "0" * 16, AskedStatus.SHOWN)


def test_a_question_is_shown_large_until_the_phase_ends(world: World) -> None:
    game = world.game(settings=ASKING)
    (ada,) = world.join(game, "Ada")
    asked_id, command = ask(ada, "Why?"), world.service.rounds.command
    phases = list[str]()
    while (state := world.service.context.get_state(game.game_id)).phase != "ended":
        phases.append(state.phase)
        world.service.audience.decide(game, asked_id, AskedStatus.SHOWN)
        assert listed(world, game, Role.SCREEN)[0][3] == "shown"
        if state.phase == "open":
            command(game.game_id, Command.PAUSE)
            command(game.game_id, Command.RESUME)
            assert listed(world, game, Role.SCREEN)[0][3] == "shown"
        if state.phase == "reveal" and "reveal" not in phases[:-1]:
            command(game.game_id, Command.REOPEN)
            # It was shown large while the question was open for the first time, too.
            assert listed(world, game, Role.SCREEN)[0][3] == "visible"
        command(game.game_id, Command.NEXT)
        assert listed(world, game, Role.SCREEN)[0][3] == "visible", phases
    assert {"waiting", "open", "reveal", "leaderboard"} <= {*phases}


@pytest.mark.parametrize(
    ("text", "changes", "error"),
    [
        ("", {}, InvalidInput),
        ("x" * (LONGEST + 1), {}, InvalidInput),
        ("What the sh1t?", {"profanity": Profanity.BLOCK}, InvalidInput),
        ("Why?", {"takes_questions": False}, RoomClosed),
        ("One more?", {}, RoomClosed),
    ],
)
def test_questions_are_rejected(
    memory: World, text: str, changes: dict[str, Any], error: type[Exception]
) -> None:
    game = memory.game(settings=replace(ASKING, **changes))
    (ada,) = memory.join(game, "Ada")
    if text == "One more?":
        for number in range(MAX_OF_PLAYER):
            ask(ada, f"Question {number}?")
    with pytest.raises(error):
        ask(ada, text)


def test_questions_of_one_player_are_limited(memory: World) -> None:
    server = Server(memory, {"ask": RateLimit("ask", 2, 60)})
    game = memory.game(settings=ASKING)
    (ada,) = memory.join(game, "Ada")
    path, caller = f"/games/{game.game_id}/audience-questions", server.caller(ada.token)
    sent = [caller.post(path, {"text": f"Question {number}?"}) for number in range(3)]
    assert [each.status_code for each in sent] == [201, 201, 429]
    asked_id = sent[0].json()["askedId"]
    assert caller.put(f"{path}/{asked_id}/vote", {"isOn": True}).status_code == 204
    assert caller.put(f"{path}/{'0' * 16}/vote", {"isOn": True}).status_code == 404
    server.seat(game, Role.COHOST).post(f"{path}/{asked_id}/answered")
    view = caller.get(f"/games/{game.game_id}/view").json()["view"]["audience"]
    assert (view["questions"][0]["status"], view["questions"][0]["votes"]) == ("answered", 1)


def test_host_switches_questions_on_and_downloads_them(app: PagesApp) -> None:
    game = app.world.game(settings=replace(ASKING, takes_questions=False))
    (ada,) = app.world.join(game, "Ada")
    urls, browser = app.world.service.context.urls, app.browser(host=True)
    browser.post(urls.host(game.game_id, "room"), {"takes_questions": "on"})
    asked = ask(ada, "=1+1?")
    browser.post(urls.host(game.game_id, "audience", asked, "answered"))
    assert "=1+1?" in browser.get("host", game.game_id, "report").text
    sheet = browser.get("host", game.game_id, "report", "questions", format="xlsx")
    rows = load_workbook(BytesIO(sheet.content)).worksheets[0].iter_rows(values_only=True)
    assert [*rows] == [("Votes", "Question", "Player", "Status"), (0, "=1+1?", "Ada", "answered")]


@in_event_loop
async def test_questions_reach_every_role_and_reactions_hosts_and_screens(
    memory: World, live: LiveGames
) -> None:
    game = memory.game(settings=ASKING)
    names = memory.join(game, "Ada", "Bob")
    ada, bob = await connect_phones(live, *names)
    host, screen = [await connect(live, game, role) for role in (Role.HOST, Role.SCREEN)]
    vote(names[1], ask(names[0], "Why?"))
    for each in (ada, bob, host, screen):
        await each.sees(lambda each: "'votes': 1" in str(each.latest("audienceChanged")))
    sent = [await ada.send_message("react", emoji="👏") for _ in range(7)]
    assert [each["data"].get("code", "") for each in sent] == [""] * 6 + ["busy"]
    await bob.send_message("react", emoji="🎉")
    for each in (host, screen):
        await each.sees(
            lambda each: each.latest("reactionsCounted").get("counts") == {"👏": 6, "🎉": 1}
        )
    assert "👏" not in str(memory.driver.execute(Scan(table_name("dev"))).items)
    assert (await bob.send_message("react", emoji="💩"))["data"]["code"] == "invalid"
    memory.play(game, Command.START)
    await bob.shows("open")
    assert (await bob.send_message("react", emoji="🎉"))["data"]["code"] == "wrong-phase"
    assert not bob.latest("reactionsCounted")
