"""Secrets until the reveal: solutions, the answers of others, and the authors of texts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from singletable_apps.games.entities import AnswerStatus, Game
from singletable_apps.games.live import LiveGames
from singletable_apps.games.live.messages import CLIENT_MESSAGES
from singletable_apps.games.phases import Command
from singletable_apps.games.questions import EngagementType, Question, QuestionType, make_options
from singletable_apps.games.tokens import Role, Seat
from tests.apps.games.api.client import Server
from tests.apps.games.live.clients import Screen, connect, connect_phones
from tests.apps.games.support.world import LESSON, MOON, PAINTER, PLANETS, SETTINGS, SURVEY, World
from tests.apps.games.test_roles import OPERATIONS, fill_in
from tests.apps.shared.rooms.clients import in_event_loop
from tests.apps.support.api_client import Caller

# The order of options says nothing, and the explanation nothing but the solution.
SOLUTION = "Founded-as-a-compromise"
QUIZ = Question(
    QuestionType.TRIVIA,
    "What is the capital of Australia?",
    category="Places",
    options=make_options(["Sydney", "Canberra"]),
    correct=("b",),
    seconds=20,
    explanation=SOLUTION,
)
# Everyone with the link to a set can read it.
SET_ID = "the-link-to-the-set"
UPCOMING = replace(QUIZ, title="A-question-that-comes-later")
# Each with an answer that is right, and what nobody may read before the reveal.
KINDS: list[tuple[Question, str, dict[str, Any]]] = [
    (QUIZ, '"correct":["', {"choices": ["b"]}),
    (replace(MOON, target=1968, explanation=SOLUTION), "1968", {"number": 1968}),
    (replace(PLANETS, explanation=SOLUTION), '"correct":["', {"choices": [*PLANETS.correct]}),
    (replace(PAINTER, explanation=SOLUTION), "Pablo", {"text": "Picasso"}),
]


def readable(
    caller: Caller, game: Game, role: Role, skip: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    """Yield all that a role can read with the API: the operation and the body."""
    for operation, roles in OPERATIONS.items():
        method, path = operation.split(" ")
        is_skipped = path.endswith(skip)
        if method != "GET" or "{game_id}" not in path or role not in roles or is_skipped:
            continue
        for table in ("answers", "scores") if "{table}" in path else ("",):
            filled = fill_in(path.replace("{table}", table), game)
            found = caller.get(filled.replace("0" * 16, "001"), params={"wait": 0})
            if found.status_code == 200:
                yield operation, found.text


@pytest.mark.parametrize("role", [Role.PLAYER, Role.AUDIENCE, Role.SCREEN])
@pytest.mark.parametrize(
    ("quiz", "secret", "right"), KINDS, ids=lambda each: getattr(each, "type", "")
)
def test_solution_is_not_known_before_the_reveal(
    memory: World, role: Role, quiz: Question, secret: str, right: dict[str, Any]
) -> None:
    server = Server(memory)
    settings = replace(SETTINGS, reading_seconds=5)
    game = memory.game(quiz, UPCOMING, settings=settings, set_id=SET_ID)
    ada, bob = memory.join(game, "Ada", "Bob")
    caller = server.caller(ada.token) if role is Role.PLAYER else server.seat(game, role)

    def check(case: str) -> None:
        bodies = dict(readable(caller, game, role))
        assert "GET /games/{game_id}/events" in bodies
        for operation, body in bodies.items():
            place = f"{case}: {operation}"
            assert SOLUTION not in body, place
            assert SET_ID not in body, place
            is_own = role is Role.PLAYER and case != "reading"
            assert is_own or secret not in body.replace(" ", ""), place
            assert '"correct":["' not in body.replace(" ", ""), place
            assert '"own":' not in body.replace(" ", ""), place
            assert UPCOMING.title not in body, place
            assert '"isCorrect":true' not in body.replace(" ", ""), place

    memory.play(game, Command.START)
    check("reading")
    memory.play(game, Command.NEXT)
    # Bob is connected and has not answered, so the question stays open.
    server.caller(bob.token).get(f"/games/{game.game_id}/events", params={"wait": 0})
    ada.answer(*right.get("choices", ()), text=right.get("text", ""), number=right.get("number"))
    check("open")
    memory.play(game, Command.PAUSE)
    check("paused while open")
    memory.play(game, Command.RESUME)
    memory.play(game, Command.CLOSE)
    assert any(SOLUTION in body for _, body in readable(caller, game, role))


@in_event_loop
async def test_messages_before_the_reveal_have_no_solution(memory: World, live: LiveGames) -> None:
    game = memory.game(QUIZ, UPCOMING, set_id=SET_ID)
    phones = await connect_phones(live, *memory.join(game, "Ada", "Bob"))
    others = [await connect(live, game, role) for role in (Role.SCREEN, Role.AUDIENCE)]
    host = await connect(live, game, Role.HOST)
    await host.command("start")
    await phones[0].shows("open")
    await phones[0].answer("b")
    await host.sees(lambda each: each.latest("playerAnswered").get("done") == 1)
    for client in (*phones, *others):
        assert client.received
        assert SOLUTION not in str(client.received)
        assert SET_ID not in str(client.received)
        assert UPCOMING.title not in str(client.received)
        assert "isCorrect" not in str(client.received)
    await host.command("close")
    for client in (*phones, *others):
        await client.shows("reveal")
        assert SOLUTION in str(client.view)


CASES = {
    "survey": (SURVEY, EngagementType.SURVEY, "003", True),
    "moderated survey": (SURVEY, EngagementType.SURVEY, "003", False),
    "anonymous answers": ((LESSON,), EngagementType.MIXED, "001", False),
}


# A co-host who reads "More cake" beside an id could look the id up in the list of players.
@pytest.mark.parametrize(
    ("case", "is_closed"),
    # The reveal of ranked answers names their authors.
    [*((each, False) for each in CASES), *((each, True) for each in CASES if "survey" in each)],
)
def test_host_cannot_name_the_author_of_a_text(memory: World, case: str, is_closed: bool) -> None:
    questions, kind, question_id, is_open = CASES[case]
    server = Server(memory)
    settings = replace(SETTINGS, is_moderated=not is_open, is_anonymous=True, min_cell=2)
    game = memory.game(*questions, kind=kind, settings=settings)
    phones = memory.join(game, "Ada", "Bob", "Cy")
    memory.play(game, Command.START)
    for phone in phones:
        phone.answer(text=f"Text-{phones.index(phone)}", question_id=question_id)
    if is_closed:
        for phone in phones:
            memory.service.moderation.decide(
                game.game_id, question_id, phone.answer_id(question_id), AnswerStatus.VISIBLE
            )
        memory.play(game, Command.CLOSE)
    seen = 0
    for operation, body in readable(server.seat(game, Role.COHOST), game, Role.COHOST):
        for record in records(body):
            if "Text-" in record:
                seen += 1
                for phone in phones:
                    assert phone.player_id not in record, operation
                    assert phone.name not in record, operation
    assert seen or is_open


def records(body: str) -> Iterator[str]:
    """Yield the smallest objects of JSON, or the lines of another text."""
    if not body.startswith(("{", "[")):
        yield from body.splitlines()
        return
    waiting: list[Any] = [json.loads(body)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            inner = [each for each in value.values() if isinstance(each, dict | list)]
            yield str({name: each for name, each in value.items() if each not in inner})
            waiting += inner
        elif isinstance(value, list):
            waiting += value


DATA: dict[str, dict[str, Any]] = {
    "answer": {"questionId": "001", "choices": ["b"]},
    "vote": {"questionId": "001", "ranking": []},
    "command": {"command": "next"},
    "extend": {"seconds": 30},
    "react": {"emoji": "👏"},
}
PLAYERS_ONLY = {"answer", "vote", "react"}


def read_by_host(world: World, question: Question, authors: Sequence[int]) -> list[str]:
    """Return all that a host reads after each step of a round in which these players answer."""
    game = world.game(question, settings=replace(SETTINGS, is_moderated=True))
    world.service.games.edit(game.game_id, debug_mode=True)
    phones = world.join(game, "Ada", "Bob", "Cy")
    first, second, third = (phones[each] for each in authors)
    decide = world.service.moderation.decide
    steps: list[Callable[[], object]] = [
        lambda: world.play(game, Command.START),
        lambda: first.answer(text="Meetings"),
        lambda: second.answer(text="Builds"),
        lambda: first.answer(text="Meetings, again"),
        lambda: decide(game.game_id, "001", second.answer_id(), AnswerStatus.VISIBLE),
        lambda: third.answer(text="Mails"),
        lambda: decide(game.game_id, "001", first.answer_id(), AnswerStatus.HIDDEN),
    ]
    host, found = Server(world).seat(game, Role.HOST), list[str]()
    for step in steps:
        step()
        # Messages contain the same views.
        found += map(" ".join, readable(host, game, Role.HOST, skip=("/events",)))
    # Ids, codes and times are different in each game.
    ids, varying = (
        dict[str, int](),
        r'"join[^,]*|[\w-]+T[\d:.]+|[\w-]{16,}|(?<=answerId":")\w+|"token":"[^"]*"',
    )
    return [
        re.sub(varying, lambda each: f"#{ids.setdefault(each[0], len(ids))}", text)
        for text in found
    ]


# If the host could tell who wrote what, another order of authors would look different.
@pytest.mark.rest
@pytest.mark.parametrize("question", [LESSON, SURVEY[2]], ids=["ranked", "text"])
def test_host_reads_the_same_for_any_order_of_authors(memory: World, question: Question) -> None:
    orders = [read_by_host(memory, question, each) for each in ((0, 1, 2), (2, 1, 0), (1, 2, 0))]
    for order in orders:
        assert order == orders[0]


@in_event_loop
async def test_messages_are_denied_to_other_roles(memory: World, live: LiveGames) -> None:
    assert DATA.keys() == CLIENT_MESSAGES.keys()
    game = memory.game(QUIZ)
    (ada,) = memory.join(game, "Ada")
    memory.play(game, Command.START)
    before = memory.service.context.get_state(game.game_id)
    for role in Role:
        seat = Seat(role, game.game_id, ada.player_id if role is Role.PLAYER else "")
        client = Screen(live, seat)
        for kind, data in DATA.items():
            is_allowed = (role is Role.PLAYER) if kind in PLAYERS_ONLY else seat.can_drive
            if not is_allowed:
                reply = await client.send_message(kind, **data)
                assert reply["data"]["code"] == "not-allowed", (role, kind)
        reply = await client.send_message("answer", **DATA["answer"], playerId=ada.player_id)
        assert (reply["type"] == "ack") is (role is Role.PLAYER)
    assert memory.service.context.get_state(game.game_id) == before
