"""A game from the first question to the end, on every driver."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from singletable_apps.games.entities import GameState
from singletable_apps.games.errors import InvalidInput, NotFound, RoomClosed, WrongPhase
from singletable_apps.games.phases import TRANSITIONS, Command, Phase
from singletable_apps.games.questions import EngagementType, Question
from singletable_apps.games.rules import GRACE
from singletable_apps.games.scoring import RankMethod
from singletable_apps.games.service.answers import Outcome, Receipt, Submission
from singletable_apps.games.tokens import Role
from tests.apps.games.support.world import CAPITAL, LESSON, LUNCH, PRIMES, SETTINGS, SURVEY, World


def test_trivia_scores_correct_and_fast_answers(world: World) -> None:
    game = world.game(CAPITAL, PRIMES)
    ada, bob, cy = world.join(game, "Ada", "Bob", "Cy")
    world.play(game, Command.START)
    assert ada.answer("b").outcome is Outcome.ACCEPTED
    world.clock.advance(seconds=10)
    bob.answer("b")
    cy.answer("a")
    assert world.play(game, Command.CLOSE).phase is Phase.REVEAL
    assert world.totals(game) == {"Ada": 1000, "Bob": 750, "Cy": 0}
    world.play(game, Command.NEXT, Command.NEXT)
    ada.answer("a", "c")
    bob.answer("a")
    world.play(game, Command.CLOSE)
    assert world.totals(game) == {"Ada": 2000, "Bob": 750, "Cy": 0}
    assert world.play_to(game, Phase.ENDED).scored == ["001", "002"]
    stored = world.service.context.get_player(game.game_id, ada.player_id)
    assert (stored.total_score, stored.rank) == (2000, 1)
    (entry,) = world.service.rounds.list_of_host(game.created_by).items
    assert (entry.player_count, entry.question_count) == (3, 2)
    assert entry.completed_at is not None


def test_call_and_answer_ranks_answers_of_others(world: World) -> None:
    game = world.game(LESSON)
    phones = world.join(game, "Ada", "Bob", "Cy")
    world.play(game, Command.START)
    for phone, text in zip(phones, ("Meetings", "Builds", "Reviews"), strict=True):
        phone.answer(text=text)
    assert world.play(game, Command.CLOSE).phase is Phase.VOTING
    snapshot = world.service.snapshots.read(game.game_id)
    ids = {each.players[0]: each.id for each in snapshot.ballot}
    ada, bob, cy = phones
    for phone in phones:
        mine = world.service.snapshots.player_view(snapshot, phone.player_id)
        assert {each["id"] for each in mine["ballot"]} == {*ids.values()} - {ids[phone.player_id]}
    ada.vote(ids[bob.player_id], ids[cy.player_id])
    bob.vote(ids[cy.player_id], ids[ada.player_id])
    cy.vote(ids[bob.player_id], ids[ada.player_id])
    world.play(game, Command.CLOSE)
    assert world.totals(game) == {"Bob": 6, "Cy": 5, "Ada": 4}


# With more answers than fit a ballot, each voter's points depend on which of them were on it.
def test_players_without_an_answer_rank_answers_too(memory: World) -> None:
    settings = replace(SETTINGS, ballot_size=2, rank_method=RankMethod.BORDA)
    game = memory.game(LESSON, settings=settings)
    *phones, eve = memory.join(game, "Ada", "Bob", "Cy", "Di", "Eve")
    memory.play(game, Command.START)
    for phone in phones:
        phone.answer(text=f"Answer of {phone.name}")
    memory.play(game, Command.CLOSE)
    snapshot = memory.service.snapshots.read(game.game_id)
    shown = memory.service.snapshots.player_view(snapshot, eve.player_id)["ballot"]
    better, worse = (each["id"] for each in shown)
    eve.vote(better, worse)
    memory.play(game, Command.CLOSE)
    authors = {each.id: snapshot.name_of(each.players[0]) for each in snapshot.ballot}
    totals = memory.totals(game)
    assert totals.pop(authors[better]) == 1250
    assert set(totals.values()) == {0}


def test_one_answer_goes_straight_to_the_results(memory: World) -> None:
    game = memory.game(LESSON)
    (ada,) = memory.join(game, "Ada")
    memory.play(game, Command.START)
    ada.answer(text="Meetings")
    assert memory.play(game, Command.CLOSE).phase is Phase.REVEAL
    assert memory.totals(game) == {"Ada": 0}


def test_poll_counts_choices_without_points(memory: World) -> None:
    game = memory.game(LUNCH)
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    ada.answer("a")
    ada.answer("c")
    bob.answer("c")
    memory.play(game, Command.CLOSE)
    view = memory.service.snapshots.view(game.game_id, Role.SCREEN)
    assert view["reveal"]["tally"] == {"c": 2}
    assert memory.play(game, Command.NEXT).phase is Phase.ENDED


# The leaderboard comes after the last question, which may be one without points.
def test_leaderboard_after_a_poll_has_no_gains_of_an_earlier_question(memory: World) -> None:
    game = memory.game(CAPITAL, PRIMES, LUNCH)
    ada, bob = memory.join(game, "Ada", "Bob")

    def moves() -> list[tuple[int, int]]:
        view = memory.service.snapshots.view(game.game_id, Role.SCREEN)
        return [(each["gained"], each["movement"]) for each in view["leaderboard"]["top"]]

    memory.play(game, Command.START)
    bob.answer("b")
    memory.play_to(game, Phase.LEADERBOARD)
    memory.play(game, Command.NEXT)
    ada.answer("a", "c")
    memory.play_to(game, Phase.LEADERBOARD)
    assert (1000, 1) in moves()
    memory.play(game, Command.NEXT)
    memory.play_to(game, Phase.LEADERBOARD)
    assert moves() == [(0, 0), (0, 0)]


def test_survey_is_self_paced_and_hides_results_until_they_are_shared(memory: World) -> None:
    game = memory.game(*SURVEY, kind=EngagementType.SURVEY, settings=replace(SETTINGS, min_cell=2))
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    for phone in (ada, bob):
        phone.answer(question_id="001", number=4)
        phone.answer("c", "a", "b", question_id="004")
    ada.answer("yes", question_id="002")
    memory.play(game, Command.CLOSE)
    view = memory.service.snapshots.view
    assert view(game.game_id, Role.PLAYER)["survey"]["results"] == []
    memory.service.rounds.share_results(game.game_id, ["001", "002"])
    shared = {
        each["questionId"]: each for each in view(game.game_id, Role.PLAYER)["survey"]["results"]
    }
    assert shared["001"]["tally"] == {"4": 2}
    assert shared["002"]["isHidden"]
    assert "004" not in shared


def test_state_machine_rejects_what_the_table_does_not_have(memory: World) -> None:
    game = memory.game(CAPITAL)
    for command in Command:
        if (Phase.WAITING, command) not in TRANSITIONS:
            with pytest.raises(WrongPhase):
                memory.play(game, command)
    assert memory.play(game, Command.END).phase is Phase.ENDED


def test_deadline_closes_after_a_grace_period(memory: World) -> None:
    game = memory.game(CAPITAL)
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    finish = memory.service.rounds.finish_due
    memory.clock.advance(seconds=19 + GRACE.total_seconds())
    assert finish(game.game_id).phase is Phase.OPEN
    ada.answer("b")
    memory.clock.advance(seconds=1)
    assert finish(game.game_id).phase is Phase.REVEAL
    assert memory.totals(game) == {"Ada": 500, "Bob": 0}
    with pytest.raises(WrongPhase):
        bob.answer("b")


def test_pause_stops_the_clock(memory: World) -> None:
    game = memory.game(CAPITAL)
    (ada,) = memory.join(game, "Ada")
    memory.play(game, Command.START)
    memory.clock.advance(seconds=5)
    memory.play(game, Command.PAUSE)
    memory.clock.advance(minutes=10)
    state = memory.play(game, Command.RESUME)
    assert state.deadline is not None
    left = state.deadline - memory.clock()
    assert timedelta(seconds=14.9) < left < timedelta(seconds=15.1)
    memory.clock.advance(seconds=5)
    ada.answer("b")
    memory.play(game, Command.CLOSE)
    assert memory.totals(game) == {"Ada": 750}


def test_second_host_does_not_skip_a_question(worlds: tuple[World, World]) -> None:
    one, other = worlds
    game = one.game(CAPITAL, PRIMES)
    one.join(game, "Ada")
    seen = one.play(game, Command.START, Command.CLOSE)

    def go_on(world: World) -> GameState:
        return world.service.rounds.command(game.game_id, Command.NEXT, version=seen.version)

    assert go_on(one).phase is Phase.LEADERBOARD
    assert go_on(other).phase is Phase.LEADERBOARD


def test_interrupted_count_is_finished_by_another_process(worlds: tuple[World, World]) -> None:
    one, other = worlds
    game = one.game(CAPITAL)
    (ada,) = one.join(game, "Ada")
    state = one.play(game, Command.START)
    ada.answer("b")
    # The first process died right after it had closed the question.
    state.closed_at = one.clock()
    one.service.context.store.put(state)
    assert other.service.rounds.finish_due(game.game_id).phase is Phase.REVEAL
    assert other.totals(game) == {"Ada": 1000}


def test_answer_after_closing_is_not_acknowledged(memory: World) -> None:
    game = memory.game(CAPITAL)
    (ada,) = memory.join(game, "Ada")
    state = memory.play(game, Command.START)
    state.closed_at = memory.clock()
    memory.service.context.store.put(state)
    with pytest.raises(WrongPhase, match="Time is up"):
        ada.answer("b")


# A phone that has lost the acknowledgment learns that its answer counts.
def test_repeated_answer_finishes_the_count_of_a_closed_question(memory: World) -> None:
    game = memory.game(CAPITAL)
    (ada,) = memory.join(game, "Ada")
    state, answers = memory.play(game, Command.START), memory.service.answers
    sent = Submission(ada.player_id, "001", memory.clock(), choices=("b",), client_id="1")
    assert answers.submit(game.game_id, sent).outcome is Outcome.ACCEPTED
    state.closed_at = memory.clock()
    memory.service.context.store.put(state)
    assert answers.submit(game.game_id, sent).outcome is Outcome.REPEATED
    assert memory.service.context.get_state(game.game_id).phase is Phase.REVEAL


def test_trivia_takes_the_first_answer_only(memory: World) -> None:
    game = memory.game(CAPITAL)
    (ada,) = memory.join(game, "Ada")
    memory.play(game, Command.START)
    ada.answer("a")
    receipt = ada.answer("b")
    assert receipt.outcome is Outcome.REPEATED
    assert receipt.answer is not None
    assert receipt.answer.choices == ("a",)


def test_delete_removes_everything_of_a_game(memory: World) -> None:
    game = memory.game(LESSON)
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    ada.answer(text="One")
    bob.answer(text="Two")
    memory.play_to(game, Phase.ENDED)
    memory.service.games.delete(game.game_id)
    for read in (memory.service.context.get_game, memory.service.context.get_state):
        with pytest.raises(NotFound):
            read(game.game_id)
    with pytest.raises(NotFound):
        memory.service.games.find_by_code(game.join_code)
    assert not memory.service.game_store.list_answers(game.game_id, "001")


def test_answers_of_several_games_are_judged_by_their_own_states(memory: World) -> None:
    games = [memory.game(CAPITAL) for _ in range(3)]
    phones = [memory.join(game, "Ada")[0] for game in games]
    for game in games:
        memory.play(game, Command.START)
    plays = memory.service.game_store.load_many([game.game_id for game in games])
    memory.play(games[1], Command.CLOSE)
    memory.service.games.delete(games[2].game_id)
    sent = [
        (each.game_id, Submission(each.player_id, "001", memory.clock(), "", ("b",), None, "1"))
        for each in phones
    ]
    # The players are read again, those of the deleted game in vain.
    # These states were read before a question was closed and a game was deleted.
    results = memory.service.answers.submit_many(sent, {}, plays)
    outcomes = [each.outcome if isinstance(each, Receipt) else type(each) for each in results]
    assert outcomes == [Outcome.ACCEPTED, Outcome.LATE, RoomClosed]
    (result,) = memory.service.answers.submit_many(sent[2:])
    assert isinstance(result, NotFound)


def test_answers_of_a_batch_have_outcomes_of_their_own(world: World) -> None:
    game = world.game(CAPITAL)
    ada, bob, cy = world.join(game, "Ada", "Bob", "Cy")
    world.play(game, Command.START)
    ada.answer("b")
    sent = [
        (phone.game_id, Submission(phone.player_id, "001", world.clock(), "", choices, None, "1"))
        for phone, choices in ((ada, ("a",)), (bob, ("b",)), (bob, ("c",)), (cy, ("x",)))
    ]
    results = world.service.answers.submit_many(sent)
    outcomes = [each.outcome if isinstance(each, Receipt) else type(each) for each in results]
    assert outcomes == [Outcome.REPEATED, Outcome.ACCEPTED, Outcome.REPEATED, InvalidInput]
    assert world.service.answers.submit_many([]) == []
    world.play(game, Command.CLOSE)
    assert world.totals(game) == {"Ada": 1000, "Bob": 1000, "Cy": 0}


def test_best_answer_is_worth_a_question_in_a_game_with_trivia(memory: World) -> None:
    game = memory.game(LESSON, CAPITAL)
    phones = memory.join(game, "Ada", "Bob", "Cy")
    memory.play(game, Command.START)
    for phone in phones:
        phone.answer(text=f"Because of {phone.name}")
    memory.play(game, Command.CLOSE)
    ballot = memory.service.snapshots.read(game.game_id).ballot
    ada, bob, cy = (
        {each.players[0]: each.id for each in ballot}[each.player_id] for each in phones
    )
    for phone, ranking in zip(phones, ((bob, cy), (cy, ada), (bob, ada)), strict=True):
        phone.vote(*ranking)
    memory.play(game, Command.CLOSE)
    assert memory.totals(game) == {"Bob": 1000, "Cy": 833, "Ada": 667}


def test_half_a_ranking_counts_but_its_voter_is_not_done(memory: World) -> None:
    game = memory.game(LESSON)
    phones = memory.join(game, "Ada", "Bob", "Cy")
    memory.play(game, Command.START)
    for phone in phones:
        phone.answer(text=f"Because of {phone.name}")
    memory.play(game, Command.CLOSE)
    ballot = memory.service.snapshots.read(game.game_id).ballot
    phones[0].vote(next(each.id for each in ballot if phones[1].player_id in each.players))
    assert memory.service.snapshots.view(game.game_id, Role.HOST)["host"]["done"] == 0
    memory.play(game, Command.CLOSE)
    assert memory.totals(game) == {"Ada": 0, "Bob": 3, "Cy": 0}


def seconds_left(world: World, state: GameState) -> int:
    assert state.deadline is not None
    return round((state.deadline - world.clock()).total_seconds())


@pytest.mark.parametrize("question", [CAPITAL, LUNCH, LESSON])
def test_question_that_was_closed_too_early_is_opened_again(
    memory: World, question: Question
) -> None:
    game = memory.game(question)
    ada, bob = memory.join(game, "Ada", "Bob")
    text = "Mine" if question is LESSON else ""
    chosen = () if text else ("b",)
    memory.play(game, Command.START)
    ada.answer(*chosen, text=text)
    memory.play(game, Command.CLOSE)
    state = memory.play(game, Command.REOPEN)
    assert (state.phase, state.scored) == (Phase.OPEN, [])
    assert seconds_left(memory, state) == 10
    bob.answer(*chosen, text=text and "Yours")
    memory.clock.advance(seconds=12)
    state = memory.service.rounds.finish_due(game.game_id)
    assert state.phase is (Phase.VOTING if question is LESSON else Phase.REVEAL)
    entry = memory.service.game_store.get_round(game.game_id, "001")
    assert entry is not None
    assert entry.answers == 2
    assert memory.totals(game) == ({"Ada": 1000, "Bob": 1000} if question is CAPITAL else {})


def test_vote_is_opened_again_but_a_survey_is_not(memory: World) -> None:
    game = memory.game(LESSON)
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    ada.answer(text="One")
    bob.answer(text="Two")
    memory.play(game, Command.CLOSE, Command.CLOSE)
    assert memory.play(game, Command.REOPEN).phase is Phase.VOTING
    game = memory.game(*SURVEY, kind=EngagementType.SURVEY)
    memory.play(game, Command.START, Command.CLOSE)
    with pytest.raises(WrongPhase):
        memory.play(game, Command.REOPEN)


def test_writing_has_a_time_limit_of_its_own(memory: World) -> None:
    game = memory.game(replace(LESSON, seconds=None), replace(LUNCH, seconds=None))
    state = memory.play(game, Command.START)
    assert seconds_left(memory, state) == 75
    state = memory.play(game, Command.SKIP, Command.NEXT)
    assert seconds_left(memory, state) == 30


def test_words_that_many_wrote_are_shown_with_their_texts(memory: World) -> None:
    game = memory.game(SURVEY[2])
    phones = memory.join(game, "Ada", "Bob", "Cy")
    memory.play(game, Command.START)
    for phone, text in zip(phones, ("More tea", "more TEA!", "Tea and cake"), strict=True):
        phone.answer(text=text)
    memory.play(game, Command.CLOSE)
    reveal = memory.service.snapshots.view(game.game_id, Role.SCREEN)["reveal"]
    assert reveal["words"] == [["tea", 3]]


def test_state_is_read_after_an_answer_only_if_it_may_have_changed(memory: World) -> None:
    service, game = memory.service, memory.game()
    ada, bob = memory.join(game, "Ada", "Bob")
    memory.play(game, Command.START)
    plays = service.game_store.load_many([game.game_id])
    (question_id,) = plays[game.game_id].state.played
    first, second = (
        Submission(each.player_id, question_id, memory.clock(), choices=("b",))
        for each in (ada, bob)
    )
    memory.calls.clear()
    (accepted,) = service.answers.submit_many([(game.game_id, first)], {}, plays)
    read = [access.entity for each in memory.calls for access in each.shape.accesses]
    assert isinstance(accepted, Receipt)
    assert accepted.outcome is Outcome.ACCEPTED
    assert GameState not in read
    # This process has closed the question since, and the sender knows only the state before.
    memory.play(game, Command.CLOSE)
    (late,) = service.answers.submit_many([(game.game_id, second)], {}, plays)
    assert isinstance(late, Receipt)
    assert late.outcome is Outcome.LATE
