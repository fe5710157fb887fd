"""Moderation: the queue, hidden answers, and hosts who decide at the same time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from singletable_apps.games.entities import AnswerStatus, Game, Profanity
from singletable_apps.games.errors import InvalidInput, NotFound, WrongPhase
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.service.moderation import Moderation
from singletable_apps.games.tokens import Role
from singletable_apps.games.views import View
from tests.apps.games.support.world import LESSON, SETTINGS, SURVEY, Phone, World

MODERATED = replace(SETTINGS, is_moderated=True)
VISIBLE, PENDING, HIDDEN = AnswerStatus.VISIBLE, AnswerStatus.PENDING, AnswerStatus.HIDDEN


def moderation(world: World) -> Moderation:
    return world.service.moderation


def host_view(world: World, game: Game) -> View:
    host: View = world.service.snapshots.view(game.game_id, Role.HOST)["host"]
    return host


def test_time_up_waits_until_the_host_has_checked_the_answers(memory: World) -> None:
    game = memory.game(LESSON, settings=MODERATED)
    ada, bob, cy, dee = memory.join(game, "Ada", "Bob", "Cy", "Dee")
    memory.play(game, Command.START)
    for phone, text in ((ada, "Meetings"), (bob, "Builds"), (cy, "Mails"), (dee, "Rude")):
        assert phone.answer(text=text).answer.status is PENDING  # type: ignore[union-attr]
    waiting = moderation(memory).list_pending(memory.service.game_store.load(game.game_id))
    assert {each.text for each in waiting} == {"Meetings", "Builds", "Mails", "Rude"}
    for phone in (ada, bob):
        answer, is_late = moderation(memory).decide(game.game_id, "001", phone.answer_id(), VISIBLE)
        assert (answer.status, is_late) == (VISIBLE, False)
    moderation(memory).decide(game.game_id, "001", dee.answer_id(), HIDDEN)
    assert host_view(memory, game)["pendingCount"] == 1
    memory.clock.advance(seconds=63)
    assert memory.service.rounds.finish_due(game.game_id).phase is Phase.CHECKING
    memory.clock.advance(seconds=600)
    assert memory.service.rounds.finish_due(game.game_id).phase is Phase.CHECKING
    with pytest.raises(WrongPhase):
        cy.answer(text="Too late")
    assert [each["text"] for each in host_view(memory, game)["pending"]] == ["Mails"]
    moderation(memory).approve_all(game.game_id)
    assert memory.play(game, Command.NEXT).phase is Phase.VOTING
    ballot = memory.service.snapshots.read(game.game_id).ballot
    assert {each.text for each in ballot} == {"Meetings", "Builds", "Mails"}
    assert host_view(memory, game)["leftOut"] == 1
    # Too late for the hidden one; the decisions of before can be repeated.
    with pytest.raises(WrongPhase):
        moderation(memory).decide(game.game_id, "001", dee.answer_id(), VISIBLE)
    assert moderation(memory).decide(game.game_id, "001", ada.answer_id(), VISIBLE)[1] is False


def test_profanity_is_queued_or_blocked(memory: World) -> None:
    game = memory.game(LESSON)
    (ada,) = memory.join(game, "Ada")
    memory.play(game, Command.START)
    assert ada.answer(text="sh1t").answer.status is PENDING  # type: ignore[union-attr]
    assert ada.answer(text="Meetings").answer.status is VISIBLE  # type: ignore[union-attr]
    strict = memory.game(LESSON, settings=replace(SETTINGS, profanity=Profanity.BLOCK))
    (ada,) = memory.join(strict, "Ada")
    memory.play(strict, Command.START)
    with pytest.raises(InvalidInput):
        ada.answer(text="sh1t")
    assert memory.service.game_store.list_answers(strict.game_id, "001") == []


def test_decision_is_about_the_text_that_the_host_has_read(memory: World) -> None:
    game = memory.game(LESSON, settings=MODERATED)
    (ada,) = memory.join(game, "Ada")
    memory.play(game, Command.START)
    ada.answer(text="Meetings")
    ada.answer(text="Something rude")
    with pytest.raises(InvalidInput):
        moderation(memory).decide(game.game_id, "001", ada.answer_id(), VISIBLE, "Meetings")
    stored = memory.service.answers.find_answer(game.game_id, "001", ada.player_id)
    assert stored is not None
    assert stored.status is PENDING


def test_hidden_answer_cannot_be_sent_again_unseen(memory: World) -> None:
    game = memory.game(LESSON)
    (ada,) = memory.join(game, "Ada")
    memory.play(game, Command.START)
    assert ada.answer(text="Rude").answer.status is VISIBLE  # type: ignore[union-attr]
    moderation(memory).decide(game.game_id, "001", ada.answer_id(), HIDDEN, "Rude")
    assert ada.answer(text="Rude again").answer.status is PENDING  # type: ignore[union-attr]
    moderation(memory).decide(game.game_id, "001", ada.answer_id(), VISIBLE, "Rude again")
    assert ada.answer(text="Now nice").answer.status is VISIBLE  # type: ignore[union-attr]


def test_unknown_answers_are_not_found(memory: World) -> None:
    game = memory.game(LESSON)
    (ada,) = memory.join(game, "Ada")
    with pytest.raises(NotFound):
        moderation(memory).decide(game.game_id, "001", ada.answer_id(), VISIBLE)
    memory.play(game, Command.START)
    for question_id, answer_id in (("001", ada.answer_id()), ("9#", "x"), ("001", "#" * 16)):
        with pytest.raises(NotFound):
            moderation(memory).decide(game.game_id, question_id, answer_id, VISIBLE)
    for answer_id, question_id in (("nothing", ""), ("nothing", "007"), ("", "001")):
        with pytest.raises(NotFound):
            moderation(memory).set_hidden(game.game_id, answer_id, True, question_id)


def test_texts_of_a_survey_are_moderated_while_it_is_open(memory: World) -> None:
    game = memory.game(*SURVEY, kind=EngagementType.SURVEY, settings=replace(MODERATED, min_cell=2))
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    ada.answer(text="More tea", question_id="003")
    # A text of one person is not anonymous.
    assert host_view(memory, game)["pendingCount"] == 0
    bob.answer(text="More cake", question_id="003")
    assert host_view(memory, game)["pendingCount"] == 2
    moderation(memory).decide(game.game_id, "003", ada.answer_id("003"), VISIBLE)
    assert memory.play(game, Command.CLOSE).phase is Phase.CHECKING
    # The host goes on without the other one.
    assert memory.play(game, Command.NEXT).phase is Phase.REVEAL
    entry = memory.service.game_store.list_rounds(game.game_id)[2]
    (shown,) = memory.service.game_store.get_ballot(entry)
    assert shown.text == "More tea"
    assert moderation(memory).set_hidden(game.game_id, shown.id, True, "003").hidden == [shown.id]


def vote_on(world: World, count: int = 3) -> tuple[Game, list[Phone], dict[str, str]]:
    """Return a game in which everyone votes, its players, and the ids of answers by player."""
    game = world.game(LESSON)
    phones = world.join(game, *("Ada", "Bob", "Cy", "Dee")[:count])
    world.play(game, Command.START)
    for phone in phones:
        phone.answer(text=f"Because of {phone.name}")
    world.play(game, Command.CLOSE)
    ballot = world.service.snapshots.read(game.game_id).ballot
    return game, phones, {each.players[0]: each.id for each in ballot}


def test_answer_hidden_during_the_vote_gets_no_points(memory: World) -> None:
    game, (ada, bob, cy, dee), ids = vote_on(memory, 4)
    bad, best, other = ids[ada.player_id], ids[bob.player_id], ids[cy.player_id]
    dee.vote(bad, best, other)
    moderation(memory).set_hidden(game.game_id, bad, True)
    assert moderation(memory).set_hidden(game.game_id, bad, True).hidden == [bad]
    snapshot = memory.service.snapshots.read(game.game_id)
    mine = memory.service.snapshots.player_view(snapshot, bob.player_id)
    assert {each["id"] for each in mine["ballot"]} == {other, ids[dee.player_id]}
    # A phone that has not heard of it yet sends the hidden answer, too.
    cy.vote(bad, best, ids[dee.player_id])
    memory.play(game, Command.CLOSE)
    assert memory.totals(game) == {"Ada": 0, "Bob": 6, "Cy": 2, "Dee": 2}
    texts = memory.service.snapshots.view(game.game_id, Role.SCREEN)["reveal"]["texts"]
    assert bad not in {each["id"] for each in texts}
    assert [each["id"] for each in host_view(memory, game)["hidden"]] == [bad]


def test_answer_hidden_after_scoring_keeps_its_points(memory: World) -> None:
    game, (ada, bob, cy), ids = vote_on(memory)
    bob.vote(ids[ada.player_id], ids[cy.player_id])
    memory.play(game, Command.CLOSE)
    before = memory.totals(game)
    moderation(memory).set_hidden(game.game_id, ids[ada.player_id], True)
    assert memory.totals(game) == before
    view = memory.service.snapshots.view(game.game_id, Role.PLAYER)
    assert len(view["reveal"]["texts"]) == 2
    moderation(memory).set_hidden(game.game_id, ids[ada.player_id], False)
    view = memory.service.snapshots.view(game.game_id, Role.PLAYER)
    assert len(view["reveal"]["texts"]) == 3


def test_two_hosts_hide_different_answers(worlds: tuple[World, World]) -> None:
    world, other = worlds
    game, (ada, bob, _), ids = vote_on(world)
    hide = other.service.moderation.set_hidden
    real = world.service.game_store.get_round
    done: list[str] = []

    def read_then_lose(game_id: str, question_id: str) -> object:
        entry = real(game_id, question_id)
        if not done:
            done.append("the other host was faster")
            hide(game.game_id, ids[bob.player_id], True)
        return entry

    world.service.game_store.get_round = read_then_lose  # type: ignore[assignment,method-assign]
    changed = moderation(world).set_hidden(game.game_id, ids[ada.player_id], True)
    assert {*changed.hidden} == {ids[ada.player_id], ids[bob.player_id]}


def test_hiding_while_votes_are_counted_is_not_lost(worlds: tuple[World, World]) -> None:
    world, other = worlds
    game, (ada, bob, cy), ids = vote_on(world)
    cy.vote(ids[ada.player_id], ids[bob.player_id])
    real = world.service.game_store.list_votes
    done: list[str] = []

    def read_then_hide(game_id: str, question_id: str) -> object:
        votes = real(game_id, question_id)
        if not done:
            done.append("hidden after the round was read")
            other.service.moderation.set_hidden(game.game_id, ids[ada.player_id], True)
        return votes

    world.service.game_store.list_votes = read_then_hide  # type: ignore[assignment,method-assign]
    world.play(game, Command.CLOSE)
    # The next reader finishes the count, without the hidden answer.
    assert other.service.rounds.finish_due(game.game_id).phase is Phase.REVEAL
    assert other.totals(game) == {"Ada": 0, "Bob": 3, "Cy": 0}
