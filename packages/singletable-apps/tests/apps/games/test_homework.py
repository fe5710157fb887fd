"""Homework: everyone alone, at their own pace, until a deadline."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from dynamodb_engine.testing import InterruptedDriver
from singletable import PutItem
from singletable_apps.games.entities import AnswersShown, Game, Homework, Leaderboard
from singletable_apps.games.errors import AlreadyExists, InvalidInput, RoomClosed, WrongPhase
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType, SetDraft
from singletable_apps.games.service.answers import Outcome, Receipt, Submission
from singletable_apps.games.service.games import LONGEST_HOMEWORK, GameDraft
from tests.apps.games.api.client import Server
from tests.apps.games.api.test_rejected import QUESTION
from tests.apps.games.pages.client import PagesApp
from tests.apps.games.support.world import (
    CAPITAL,
    HOST,
    LESSON,
    LUNCH,
    PRIMES,
    SETTINGS,
    SURVEY,
    Phone,
    World,
)
from tests.apps.support.api_client import problem

DAY = timedelta(days=1)


def give(world: World, *questions: Any, **terms: Any) -> Game:
    draft = GameDraft(title="Week 12", questions=questions or (CAPITAL, PRIMES))
    homework = Homework(world.clock() + 7 * DAY, **terms)
    return world.service.homework.give(HOST, draft, homework)


def go_on(phone: Phone) -> None:
    """Begin, or go to the next question."""
    homework = phone.world.service.homework
    player = phone.world.service.context.get_player(phone.game_id, phone.player_id)
    homework.advance(phone.game_id, phone.player_id, player.attempt, player.position)


def answer(phone: Phone, question_id: str, *choices: str, **more: Any) -> Receipt:
    sent = Submission(phone.player_id, question_id, phone.world.clock(), choices=choices, **more)
    return phone.world.service.homework.answer(phone.game_id, sent)


def attempt(phone: Phone, *answers: tuple[str, ...]) -> dict[str, Any]:
    """Play a whole attempt; an empty answer skips its question. Return what the player sees."""
    go_on(phone)
    for number, choices in enumerate(answers, 1):
        if choices:
            answer(phone, f"{number:03d}", *choices)
        else:
            go_on(phone)
    return phone.world.service.homework.view(phone.game_id, phone.player_id)


def close(world: World, game: Game) -> None:
    world.clock.advance(seconds=8 * DAY.total_seconds())
    assert world.service.rounds.finish_due(game.game_id).phase is Phase.ENDED


def test_deadline_counts_homework_by_the_rules_of_a_room(world: World) -> None:
    settings = replace(SETTINGS, streak=True, trivia_mode="accuracy", leaderboard=Leaderboard.NEVER)
    questions = (CAPITAL, LUNCH, PRIMES)
    draft = GameDraft(questions=questions, settings=settings)
    homework = Homework(world.clock() + DAY)
    alone = world.service.homework.give(HOST, draft, homework)
    room = world.game(*questions, settings=settings)
    plans = {"Ada": (("b",), ("a",), ("a", "c")), "Ben": (("a",), (), ("a", "c")), "Cy": ()}
    for phone in world.join(alone, *plans):
        if plans[phone.name]:
            attempt(phone, *plans[phone.name])
    phones = world.join(room, *plans)
    world.play(room, Command.START)
    for number in range(3):
        for phone in phones:
            for choices in filter(None, plans[phone.name][number : number + 1]):
                phone.answer(*choices)
        world.play_to(room, Phase.REVEAL)
        world.play(room, Command.NEXT)
    world.play_to(room, Phase.ENDED)
    close(world, alone)
    reports = [world.service.reports.read(each.game_id) for each in (alone, room)]
    scores = [[replace(each, place=0) for each in report.scores] for report in reports]
    assert sorted(map(repr, scores[0])) == sorted(map(repr, scores[1]))
    assert [each.points for each in scores[0]] == [2_100, 1_000, 0]
    assert [len(each.answers) + len(each.silent) for each in reports[0].questions] == [3, 3, 3]
    assert [each.player for each in reports[0].strugglers] == ["Cy"]
    entry = world.service.games.find_entry(alone.game_id)
    assert entry is not None
    assert entry.player_count == 3
    world.check_calls()


def test_nothing_is_accepted_after_the_deadline(memory: World) -> None:
    game = give(memory)
    (ada,) = memory.join(game, "Ada")
    go_on(ada)
    memory.clock.advance(seconds=7 * DAY.total_seconds() + 1)
    answer(ada, "001", "b")  # it was on its way
    memory.clock.advance(seconds=2)
    with pytest.raises(RoomClosed, match="homework is closed"):
        memory.join(game, "Ben")
    for late in (lambda: answer(ada, "002", "a"), lambda: go_on(ada)):
        with pytest.raises(WrongPhase, match="homework is closed"):
            late()
    assert memory.totals(game) == {"Ada": 1_000}


@pytest.mark.parametrize(
    ("second", "points", "kept"),
    [
        ((("a",), ()), 1_000, 2),  # worse: the first attempt counts
        ((("b",), ("a", "c")), 2_000, 2),
        ((("b",), ()), 1_000, 1),  # as good: the second counts, without what was skipped
    ],
)
def test_best_attempt_counts(
    world: World, second: tuple[tuple[str, ...], ...], points: int, kept: int
) -> None:
    game = give(world, attempts=2)
    (ada,) = world.join(game, "Ada")
    assert attempt(ada, ("b",), ("a",))["result"]["points"] == 1_000
    view = attempt(ada, *second)
    assert view["result"]["best"] == points
    with pytest.raises(WrongPhase, match="all your attempts"):
        go_on(ada)
    close(world, game)
    assert world.totals(game) == {"Ada": points}
    report = world.service.reports.read(game.game_id)
    assert report.scores[0].answers == kept
    world.check_calls()


def test_attempt_that_is_not_complete_leaves_the_first_one(memory: World) -> None:
    game = give(memory, attempts=0)
    (ada,) = memory.join(game, "Ada")
    attempt(ada, ("a",), ("a",))
    go_on(ada)
    answer(ada, "001", "b")
    close(memory, game)
    assert memory.totals(game) == {"Ada": 0}
    view = memory.service.homework.view(game.game_id, ada.player_id)
    assert (view["step"], view["result"]["correct"]) == ("closed", 0)


@pytest.mark.parametrize(
    ("shown", "after_answer", "at_the_end"),
    [
        ("at-once", True, True),
        ("end", False, True),
        ("closed", False, False),
    ],
)
def test_right_answers_are_shown_when_the_owner_says(
    memory: World, shown: AnswersShown, after_answer: bool, at_the_end: bool
) -> None:
    game = give(memory, CAPITAL, answers_shown=shown)
    (ada,) = memory.join(game, "Ada")
    view = memory.service.homework.view
    assert view(game.game_id, ada.player_id)["step"] == "start"
    go_on(ada)
    assert "correct" not in view(game.game_id, ada.player_id)["question"]
    answer(ada, "001", "a")
    seen = view(game.game_id, ada.player_id)
    assert (seen.get("question", {}).get("correct") == ["b"]) is after_answer
    if after_answer:
        go_on(ada)
    seen = view(game.game_id, ada.player_id)
    assert (seen["step"], "result" in seen) == ("done", at_the_end)
    close(memory, game)
    seen = view(game.game_id, ada.player_id)
    assert seen["result"]["questions"][0]["correct"] == ["b"]


def test_time_limit_runs_while_a_player_is_away(memory: World) -> None:
    game = give(memory, seconds=30)
    (ada,) = memory.join(game, "Ada")
    view = memory.service.homework.view
    go_on(ada)
    memory.clock.advance(seconds=10)
    answer(ada, "001", "b")  # this question has 20 seconds, so it is worth three quarters
    memory.clock.advance(seconds=21)
    assert view(game.game_id, ada.player_id)["step"] == "late"
    memory.clock.advance(seconds=2)
    with pytest.raises(WrongPhase, match="Time is up"):
        answer(ada, "002", "a", "c")
    go_on(ada)
    assert view(game.game_id, ada.player_id)["result"]["points"] == 750


def test_repeated_and_stale_forms_change_nothing(memory: World) -> None:
    game = give(memory)
    (ada,) = memory.join(game, "Ada")
    homework = memory.service.homework
    for _ in range(2):
        homework.advance(game.game_id, ada.player_id, 0, 0)
    assert answer(ada, "001", "b").outcome is Outcome.ACCEPTED
    repeated = answer(ada, "001", "a")
    assert (repeated.outcome, repeated.answer and repeated.answer.choices) == (
        Outcome.REPEATED,
        ("b",),
    )
    assert homework.view(game.game_id, ada.player_id)["position"] == 1
    with pytest.raises(InvalidInput):
        answer(ada, "002", "z")
    with pytest.raises(WrongPhase):
        answer(ada, "003", "a")
    with pytest.raises(WrongPhase):
        ada.answer("a", question_id="002")  # as in a room


def test_an_answer_that_comes_second_learns_which_one_counts(memory: World) -> None:
    game = give(memory)
    (ada,) = memory.join(game, "Ada")
    go_on(ada)
    driver = InterruptedDriver(memory.driver, PutItem, before=lambda: answer(ada, "001", "b"))
    sent = Submission(ada.player_id, "001", memory.clock(), choices=("c",))
    receipt = memory.open(driver).homework.answer(game.game_id, sent)
    assert receipt.outcome is Outcome.REPEATED
    assert receipt.answer is not None
    assert receipt.answer.choices == ("b",)
    assert receipt.answer.question_id == "001"


def test_names_come_from_the_list(memory: World) -> None:
    game = give(memory, names=("Ada Lovelace-Byron of Ockham", "Ben"))
    (ada,) = memory.join(game, "ada lovelace-byron of ockham")
    player = memory.service.context.get_player(game.game_id, ada.player_id)
    assert player.name == "Ada Lovelace-Byron of Ockham"
    with pytest.raises(InvalidInput, match="not on the list"):
        memory.join(game, "Cy")
    with pytest.raises(AlreadyExists, match="has begun already") as taken:
        memory.join(game, player.name)
    assert taken.value.suggestions == ()


@pytest.mark.parametrize(
    ("questions", "terms", "field"),
    [
        ((LESSON,), {}, "set_id"),
        ((), {"due_at": timedelta()}, "due_at"),
        ((), {"due_at": LONGEST_HOMEWORK + DAY}, "due_at"),
        ((), {"attempts": 21}, "attempts"),
        ((), {"seconds": -1}, "seconds"),
        ((), {"names": ("Bill", "BiIl")}, "names"),
    ],
)
def test_invalid_terms_are_rejected(
    memory: World, questions: tuple[Any, ...], terms: dict[str, Any], field: str
) -> None:
    due_at = memory.clock() + terms.pop("due_at", DAY)
    draft = GameDraft(questions=questions or (CAPITAL,))
    with pytest.raises(InvalidInput) as rejected:
        memory.service.homework.give(HOST, draft, Homework(due_at, **terms))
    assert [*rejected.value.errors] == [field]


def test_owner_extends_the_deadline_or_closes_early(world: World) -> None:
    game, homework = give(world), world.service.homework
    (ada,) = world.join(game, "Ada")
    with pytest.raises(InvalidInput):
        homework.set_deadline(game.game_id, world.clock())
    homework.set_deadline(game.game_id, world.clock() + 9 * DAY)
    world.clock.advance(seconds=8 * DAY.total_seconds())
    attempt(ada, ("b",), ("a", "c"))
    world.service.rounds.command(game.game_id, Command.END)
    for late in (lambda: go_on(ada), lambda: homework.set_deadline(game.game_id, game.created_at)):
        with pytest.raises(WrongPhase, match="homework is closed"):
            late()
    assert world.totals(game) == {"Ada": 2_000}
    assert game.expires_at > game.created_at + LONGEST_HOMEWORK
    world.check_calls()


def test_survey_as_homework_stays_without_names(memory: World) -> None:
    draft = GameDraft(type=EngagementType.SURVEY, questions=SURVEY)
    game = memory.service.homework.give(HOST, draft, Homework(memory.clock() + DAY))
    (ada,) = memory.join(game, "Ada")
    go_on(ada)
    answer(ada, "001", number=4)
    close(memory, game)
    report = memory.service.reports.read(game.game_id)
    assert "Results hidden" in report.questions[0].summary.hidden
    assert not report.questions[0].answers


# ------------------------------------------------------------------------------ pages


def text_of(page: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html.unescape(page.text)).split())


def test_owner_gives_homework_and_follows_it(app: PagesApp) -> None:
    chosen = app.world.service.sets.create(HOST, SetDraft("Week 12", questions=(CAPITAL, LESSON)))
    owner, phone = app.browser(host=True), app.browser()
    form = owner.get("new", set=chosen.set_id)
    fields = {"start": None, "names": "Ada\nBen", "is_homework": "on"}
    rejected = owner.submit(form, "/new", **fields, due_at="2020-01-01T09:00")
    assert "Choose a time in the future" in rejected.text
    given = owner.submit(form, "/new", **fields, answers_shown="at-once")
    page = owner.follow(given)
    assert "1 question is left out" in text_of(page)
    assert "Ben – – Not opened yet" in text_of(page)
    (code,) = re.findall(r"code=(\d{6})", page.text)[:1]
    name = phone.get("join", code=code)
    assert "Watch without playing" not in name.text
    play = phone.follow(phone.submit(name, "/join", name="Ada"))
    question = phone.follow(phone.submit(play, "/homework"))
    nothing = phone.submit(question, "/answer")
    assert (nothing.status_code, "Choose one option." in nothing.text) == (422, True)
    verdict = phone.follow(phone.submit(question, "/answer", choices="a"))
    assert "Not this time" in verdict.text
    assert "Right: Canberra" in text_of(verdict)
    result = phone.follow(phone.submit(verdict, "/homework"))
    assert "0 of 1 right" in text_of(result)
    page = owner.open(page.url.path)
    assert "Ada 1 of 1 1" in text_of(page)
    assert "was changed" in owner.flash(owner.submit(page, "/homework", due_at="2026-01-20T09:00"))
    asked = owner.submit(page, "/command")
    assert "Close the homework?" in asked.text
    closed = owner.follow(owner.submit(asked, "/command"))
    assert "Open the report" in closed.text
    assert "This homework is closed" in phone.open(play.url.path).text
    late = app.browser().get("join", code=code)
    assert (late.status_code, "This homework is closed" in late.text) == (403, True)


def test_homework_past_its_deadline_is_not_listed_as_running(app: PagesApp) -> None:
    world = app.world
    draft = GameDraft(title="Week 12", questions=(CAPITAL,))
    world.service.homework.give(HOST, draft, Homework(world.clock() + DAY))
    owner = app.browser(host=True)
    assert "Week 12" in owner.get("games").text.partition("Running")[2]
    world.clock.advance(seconds=2 * DAY.total_seconds())
    listed = owner.get("games")
    assert ("Running" in listed.text, "Week 12" in listed.text.partition("Past")[2]) == (
        False,
        True,
    )
    assert "Week 12" not in owner.get().text


def test_owner_of_homework_removes_a_player_and_has_a_link_for_a_co_host(app: PagesApp) -> None:
    world = app.world
    draft = GameDraft(title="Week 12", questions=(CAPITAL,))
    game = world.service.homework.give(HOST, draft, Homework(world.clock() + DAY))
    world.join(game, "Ada", "Ben")
    owner = app.browser(host=True)
    page = owner.get("host", game.game_id, "homework")
    (remove, _) = re.findall(r'href="([^"]+/remove)"', page.text)
    asked = owner.open(remove)
    assert owner.flash(owner.submit(asked, "/remove")) == "Ada was removed."
    assert "Ada" not in text_of(owner.get("host", game.game_id, "homework"))
    (link,) = re.findall(r"https://games.example(/games/seat[^<\"]*cohost[^<\"]*)", page.text)[:1]
    helper = app.browser()
    shown = helper.open(link)
    assert ("Week 12" in shown.text, "Replace the link" in shown.text) == (True, False)


def test_api_gives_homework_and_takes_answers(server: Server) -> None:
    due_at = (server.world.clock() + DAY).isoformat()
    body = {"questions": [QUESTION], "homework": {"dueAt": due_at, "names": ["Ada"]}}
    far = {**body, "homework": {"dueAt": "2999-01-01T00:00:00Z"}}
    assert problem(server.caller().post("/games", far))[2] == ["/homework/dueAt"]
    created = server.caller().post("/games", body).json()
    path, host = f"/games/{created['gameId']}", server.caller(created["tokens"]["host"])
    joined = server.caller().post(f"{path}/players", {"name": "Ada"}).json()
    ada = server.caller(joined["token"])
    assert ada.get(f"{path}/view").json()["homework"]["step"] == "start"
    asked = ada.post(f"{path}/homework/next?attempt=0&position=0").json()["homework"]
    sent = {"questionId": asked["question"]["questionId"], "choices": ["b"]}
    assert ada.post(f"{path}/answers", sent).json()["outcome"] == "accepted"
    (player,) = host.get(f"{path}/players").json()["items"]
    assert (player["attempt"], player["position"]) == (1, 1)
    later = (server.world.clock() + 2 * DAY).isoformat().replace("+00:00", "Z")
    changed = host.put(f"{path}/homework", {"dueAt": later}).json()["homework"]
    assert (changed["dueAt"], changed["names"], changed["leftOut"]) == (later, ["Ada"], 0)
    assert ada.get(path).json()["homework"] is None
    assert host.put(f"{path}/state", {"command": "end"}).json()["phase"] == "ended"
    assert problem(ada.post(f"{path}/answers", {**sent, "questionId": "002"}))[0] == 409
    assert host.get(f"{path}/report").json()["scores"][0]["player"] == "Ada"
    room = server.world.game()
    later_body = {"dueAt": later}
    assert problem(server.host().put(f"/games/{room.game_id}/homework", later_body))[0] == 404
