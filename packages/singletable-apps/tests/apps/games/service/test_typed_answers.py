"""Typed answers that a host accepts after the question, and points of all kinds in one game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from singletable_apps.games.errors import InvalidInput, NotFound, WrongPhase
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.tokens import Role
from tests.apps.games.support.world import CAPITAL, MOON, PAINTER, PLANETS, SETTINGS, World

ACCURACY = replace(SETTINGS, trivia_mode="accuracy", streak=True)


def test_kinds_are_worth_the_same_and_continue_streaks(memory: World) -> None:
    game = memory.game(MOON, PLANETS, PAINTER, settings=ACCURACY)
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    ada.answer(number=1969)
    bob.answer(number=1974)
    memory.play(game, Command.CLOSE, Command.NEXT, Command.NEXT)
    first, second, *others = PLANETS.correct
    ada.answer(*PLANETS.correct)
    bob.answer(second, first, *others)
    bob.answer(*PLANETS.correct)  # the first answer counts
    memory.play(game, Command.CLOSE, Command.NEXT, Command.NEXT)
    ada.answer(text="picasso")
    bob.answer(text="Dalí")
    memory.play(game, Command.CLOSE)
    assert memory.totals(game) == {"Ada": 1000 + 1100 + 1200, "Bob": 750 + 500}
    rows = [*memory.service.reports.read(game.game_id).table("answers")[1]]
    assert [(row[6], row[8]) for row in rows[:2]] == [(1969, 1000), (1974, 750)]


def test_accepted_answer_gives_points_to_everyone_who_wrote_it(memory: World) -> None:
    game = memory.game(CAPITAL, PAINTER, settings=ACCURACY)
    accept = memory.service.rounds.accept
    ada, bob, cy = memory.join(game, "Ada", "Bob", "Cy")
    memory.play(game, Command.START)
    bob.answer("b")
    with pytest.raises(InvalidInput):
        accept(game.game_id, bob.answer_id())
    memory.play(game, Command.CLOSE, Command.NEXT, Command.NEXT)
    for phone, text in ((ada, "PABLO PICASSO"), (bob, "Pikasso"), (cy, "pikasso!")):
        phone.answer(text=text)
    with pytest.raises(WrongPhase):
        accept(game.game_id, bob.answer_id("002"))
    memory.play(game, Command.CLOSE)
    assert memory.totals(game) == {"Ada": 1000, "Bob": 1000, "Cy": 0}
    with pytest.raises(NotFound):
        accept(game.game_id, "0" * 16)
    shown = memory.service.snapshots.view(game.game_id, Role.SCREEN)["reveal"]["texts"]
    (wrong,) = (each["id"] for each in shown if not each["isCorrect"])
    for _ in range(2):  # a second click changes nothing
        assert accept(game.game_id, wrong).phase is Phase.REVEAL
        assert memory.totals(game) == {"Ada": 1000, "Bob": 2100, "Cy": 1000}
    _, question = memory.service.reports.read(game.game_id).questions
    assert question.summary.correct == 3
    accept(game.game_id, cy.answer_id("002"), is_accepted=False)
    assert memory.totals(game) == {"Ada": 1000, "Bob": 1000, "Cy": 0}


def test_answer_is_accepted_while_answers_are_checked(memory: World) -> None:
    game = memory.game(PAINTER, settings=replace(ACCURACY, is_moderated=True))
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    ada.answer(text="PABLO PICASSO")
    bob.answer(text="Pikasso")
    assert memory.play(game, Command.CLOSE).phase is Phase.CHECKING
    # A text that is right is the author's own, so nobody has to read it.
    pending = memory.service.snapshots.view(game.game_id, Role.HOST)["host"]["pending"]
    assert [each["answerId"] for each in pending] == [bob.answer_id()]
    assert memory.service.rounds.accept(game.game_id, bob.answer_id()).phase is Phase.CHECKING
    memory.play(game, Command.NEXT)
    assert memory.totals(game) == {"Ada": 1000, "Bob": 1000}
