"""Votes on answers: merged texts, ballots, and the points of every method."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.games.scoring import (
    MAX_COUNTED_ANSWERS,
    AnswerGroup,
    RankMethod,
    assign_ballots,
    merge_answers,
    required_ranks,
    score_votes,
)

MAX_POINTS = {RankMethod.BORDA: 1250, RankMethod.SCHULZE: 1000, RankMethod.IRV: 1000}
every_method = pytest.mark.parametrize("method", RankMethod)


def authors_of(*answers: str) -> dict[str, list[str]]:
    """Return an author of each answer: the answer's id in upper case."""
    return {answer: [answer.upper()] for answer in answers}


@st.composite
def rounds(
    draw: st.DrawFn, *, least: int = 2
) -> tuple[list[str], dict[str, list[str]], dict[str, list[str]]]:
    """Draw answers, their authors, and complete or partial ballots with own answers, too."""
    answers = list("abcdef")[: draw(st.integers(least, 6))]
    rankings = st.permutations(answers).flatmap(
        lambda order: st.integers(0, len(order)).map(lambda size: order[:size])
    )
    voters = [*map(str.upper, answers), "X", "Y"]
    ballots = {voter: draw(rankings) for voter in voters if draw(st.booleans())}
    return answers, authors_of(*answers), ballots


# The example of the original: {0: 1, 1: 3, 2: 2} and {0: 2, 1: 1, 2: 3} are ranks by answer.
def test_medals_match_the_documented_example() -> None:
    ballots = {"X": ["0", "2", "1"], "Y": ["1", "0", "2"]}
    result = score_votes(RankMethod.MEDALS, ["0", "1", "2"], {"0": ["P"], "1": ["Q"]}, ballots)
    assert result.answers == {"0": 5, "1": 4, "2": 3}
    assert result.points == {"P": 5, "Q": 4}


def test_equal_answers_get_equal_points() -> None:
    result = score_votes(
        RankMethod.MEDALS, ["a", "b", "c"], authors_of("a", "b", "c"), {"A": ["b"], "B": ["a"]}
    )
    assert result.points == {"A": 3, "B": 3, "C": 0}


def test_own_unknown_and_repeated_answers_are_left_out() -> None:
    ballots = {"A": ["a", "?", "b", "b", "c"], "B": ["b"], "C": []}
    result = score_votes(RankMethod.MEDALS, ["a", "b", "c"], authors_of("a", "b", "c"), ballots)
    assert result.points == {"A": 0, "B": 3, "C": 2}


def test_answers_that_a_voter_was_not_shown_are_left_out() -> None:
    ballots = {"X": ["a", "b"], "Y": ["c"]}
    result = score_votes(RankMethod.MEDALS, list("abc"), {}, ballots, offered={"X": ["b", "c"]})
    assert [result.answers[answer] for answer in "abc"] == [0, 3, 3]
    # b is the better one of two for X; for Y, who saw all, a and b share the places after c.
    result = score_votes(RankMethod.BORDA, list("abc"), {}, ballots, offered={"X": ["b", "c"]})
    assert [result.answers[answer] for answer in "abc"] == [250, 688, 500]


@every_method
def test_fewer_than_two_answers_and_no_ballots_give_no_points(method: RankMethod) -> None:
    assert score_votes(method, [], {}, {}).answers == {}
    alone = score_votes(method, ["a"], authors_of("a"), {"X": ["a"]})
    assert alone.points == {"A": 0}
    silent = score_votes(method, ["a", "b"], authors_of("a", "b"), {"X": []})
    assert silent.points == {"A": 0, "B": 0}


def test_authors_of_the_same_answer_share_its_points() -> None:
    authors = {"a": ["A", "B"], "b": ["C"]}
    result = score_votes(RankMethod.MEDALS, ["a", "b"], authors, {"C": ["a"], "B": ["a", "b"]})
    assert result.points == {"A": 2, "B": 2, "C": 3}  # halves round up


def test_borda_counts_the_ballots_that_could_rank_an_answer() -> None:
    answers = ["a", "b", "c"]
    ballots = {"A": ["b", "c"], "B": ["a", "c"], "C": ["a", "b"]}
    result = score_votes(RankMethod.BORDA, answers, authors_of(*answers), ballots)
    # a is first on both ballots that could rank it: 1,000 and 25 % for that.
    assert result.points == {"A": 1250, "B": 500, "C": 0}


def test_borda_shares_the_places_that_are_left_among_unranked_answers() -> None:
    ballots = {"X": ["a"], "Y": ["b", "a", "c", "d"]}
    result = score_votes(RankMethod.BORDA, list("abcd"), {}, ballots)
    # a: 1 and 2/3, with 10 % as the best; b: 1/3 and 1; c: 1/3 and 1/3; d: 1/3 and 0.
    assert [result.answers[answer] for answer in "abcd"] == [917, 667, 333, 167]


def test_schulze_and_runoff_turn_places_into_points() -> None:
    # a has the most first votes; b beats both others head to head; c is eliminated first.
    ballots = {
        **{f"X{at}": ["a", "b", "c"] for at in range(4)},
        **{f"Y{at}": ["b", "c", "a"] for at in range(3)},
        **{f"Z{at}": ["c", "b", "a"] for at in range(2)},
    }
    schulze = score_votes(RankMethod.SCHULZE, list("abc"), {}, ballots)
    runoff = score_votes(RankMethod.IRV, list("abc"), {}, ballots)
    assert [schulze.answers[each] for each in "abc"] == [0, 1000, 500]
    assert [runoff.answers[each] for each in "abc"] == [500, 1000, 0]


# Their order of elimination is nothing but the order of their ids.
def test_runoff_gives_the_same_points_to_answers_tied_for_last() -> None:
    ballots = {f"X{at}": ["a"] for at in range(3)} | {"Y": ["b"], "Z": ["b"], "W": ["c"]}
    result = score_votes(RankMethod.IRV, list("abcde"), {}, ballots)
    assert [result.answers[each] for each in "abcde"] == [1000, 750, 500, 250, 250]


def test_large_rounds_are_counted_by_borda() -> None:
    answers = [f"{at:03}" for at in range(MAX_COUNTED_ANSWERS + 1)]
    for method in (RankMethod.SCHULZE, RankMethod.IRV):
        result = score_votes(method, answers, {}, {"X": answers[:3]})
        assert result == score_votes(RankMethod.BORDA, answers, {}, {"X": answers[:3]})
        assert result.answers["000"] == 1250


@every_method
@given(rounds())
def test_points_stay_between_zero_and_the_maximum(
    method: RankMethod,
    played: tuple[list[str], dict[str, list[str]], dict[str, list[str]]],
) -> None:
    answers, authors, ballots = played
    result = score_votes(method, answers, authors, ballots)
    most = MAX_POINTS.get(method, 3 * len(ballots))
    assert all(0 <= points <= most for points in result.answers.values())
    assert result.points == {answer.upper(): points for answer, points in result.answers.items()}


@every_method
@given(rounds())
def test_points_do_not_depend_on_the_order_of_anything(
    method: RankMethod,
    played: tuple[list[str], dict[str, list[str]], dict[str, list[str]]],
) -> None:
    answers, authors, ballots = played
    backwards = dict(reversed(authors.items())), dict(reversed(ballots.items()))
    result = score_votes(method, answers, authors, ballots)
    other = score_votes(method, answers[::-1], *backwards)
    assert (result.points, result.answers) == (other.points, other.answers)


# Everybody ranks three answers of others, so each ballot gives 3 + 2 + 1.
@given(rounds(least=4))
def test_medals_add_up_to_six_per_ballot(
    played: tuple[list[str], dict[str, list[str]], dict[str, list[str]]],
) -> None:
    answers, authors, ballots = played
    complete = {voter: [*ranking, *answers] for voter, ranking in ballots.items()}
    result = score_votes(RankMethod.MEDALS, answers, authors, complete)
    assert sum(result.answers.values()) == 6 * len(ballots)


def test_equal_texts_are_one_answer() -> None:
    texts = {"A": "  Café  au lait", "B": "CAFE\u0301 AU\nLAIT", "C": "ﬁre", "D": " ", "E": "Fire"}
    assert merge_answers(texts) == [
        AnswerGroup("Café  au lait", ("A", "B")),
        AnswerGroup("ﬁre", ("C", "E")),
    ]


def test_required_ranks_are_three_or_all_that_are_offered() -> None:
    assert [required_ranks(offered) for offered in range(6)] == [0, 1, 2, 3, 3, 3]


def test_small_rounds_offer_all_answers_of_others() -> None:
    offered = assign_ballots("abcdef", ["A", "F", "X"], authors_of(*"abcdef"), "seed", 5)
    assert {voter: sorted(shown) for voter, shown in offered.items()} == {
        "A": list("bcdef"),
        "F": list("abcde"),
        "X": list("abcdef"),
    }
    assert assign_ballots(["a"], ["A", "X"], authors_of("a"), "seed", 5) == {"A": (), "X": ()}


def test_every_viewer_has_another_order_that_depends_on_the_seed() -> None:
    viewers = [f"X{at}" for at in range(30)]
    offered = assign_ballots("abcdef", viewers, {}, "seed", 5)
    assert len(set(offered.values())) > 20
    assert offered == assign_ballots("fedcba", viewers[::-1], {}, "seed", 5)
    assert offered != assign_ballots("abcdef", viewers, {}, "other", 5)


@given(
    st.integers(2, 40), st.integers(1, 6), st.integers(0, 10), st.booleans(), st.text(max_size=3)
)
def test_every_answer_is_on_equally_many_ballots(
    count: int, size: int, audience: int, do_authors_vote: bool, seed: str
) -> None:
    answers = [f"a{at}" for at in range(count)]
    authors = authors_of(*answers)
    voters = [f"X{at}" for at in range(audience)]
    voters += [answer.upper() for answer in answers] if do_authors_vote else []
    offered = assign_ballots(answers, voters, authors, seed, size)
    for voter, shown in offered.items():
        assert len(set(shown)) == len(shown)
        assert voter.lower() not in shown
        others = count - (voter.lower() in answers)
        assert len(shown) == (others if count <= size + 1 else size)
    judged = Counter(answer for shown in offered.values() for answer in shown)
    numbers = [judged[answer] for answer in answers]
    assert max(numbers) - min(numbers) <= 1
    if do_authors_vote and not audience:
        assert set(numbers) == {min(size, count - 1)}


# Half of the room wrote the same: the others judge it as often as any other answer.
def test_popular_answers_are_on_equally_many_ballots() -> None:
    for crowd, size in product((2, 10, 20), (2, 5)):
        answers = [f"a{at}" for at in range(20)]
        authors = authors_of(*answers) | {"a0": [f"P{at}" for at in range(crowd)]}
        voters = [player for players in authors.values() for player in players]
        offered = assign_ballots(answers, voters, authors, "seed", size)
        judged = Counter(answer for shown in offered.values() for answer in shown)
        assert max(judged.values()) - min(judged.values()) <= 1
        assert not any("a0" in offered[f"P{at}"] for at in range(crowd))


# Everybody but one wrote it, so it can be on one ballot only.
def test_answer_of_nearly_all_players_is_on_all_ballots_it_can_be_on() -> None:
    answers = [f"a{at}" for at in range(10)]
    authors = {"a0": [f"P{at}" for at in range(50)], "a1": ["Q"]}
    offered = assign_ballots(answers, [*authors["a0"], "Q"], authors, "seed", 3)
    judged = Counter(answer for shown in offered.values() for answer in shown)
    assert judged["a0"] == 1
    others = [judged[answer] for answer in answers[1:]]
    assert max(others) - min(others) <= 1
