"""Points of trivia, the leaderboard and teams."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.games.scoring import (
    Partial,
    TriviaMode,
    TriviaRules,
    TriviaScore,
    classic_points,
    judge_choices,
    rank_players,
    round_points,
    score_answer,
    speed_share,
    team_totals,
)

OPTIONS = "abcdefgh"
option_sets = st.frozensets(st.sampled_from(OPTIONS))
times = st.floats(0, 400)
limits = st.none() | st.integers(0, 300)
floors = st.floats(0, 1)
modes = st.sampled_from(["speed", "classic", "accuracy"])
rules = st.builds(TriviaRules, modes, floors, st.booleans())
totals = st.dictionaries(
    st.text(max_size=3), st.tuples(st.integers(0, 3), st.sampled_from([0.0, 1.5])), max_size=8
)


def score(
    partial: Partial = Partial.ALL_OR_NOTHING,
    *,
    correct: str,
    chosen: str,
    points: int = 1000,
    seconds: float = 0,
    mode: TriviaMode = "accuracy",
    streak: int | None = None,
) -> TriviaScore:
    return score_answer(
        TriviaRules(mode, streak=streak is not None),
        judge_choices(partial, correct, chosen),
        points=points,
        seconds=seconds,
        limit=20,
        streak=streak or 0,
    )


# Kahoot's table, and what other quizzes do with other floors.
@pytest.mark.parametrize(
    ("seconds", "limit", "floor", "expected"),
    [
        (0.49, 20, 0.5, 1000),
        (0.5, 20, 0.5, 988),
        (10, 20, 0.5, 750),
        (20, 20, 0.5, 500),
        (22, 20, 0.5, 500),
        (-3, 20, 0.5, 1000),
        (10, 20, 0.0, 500),
        (20, 20, 0.0, 0),
        (20, 20, 1.0, 1000),
        (99, None, 0.5, 1000),
        (99, 0, 0.5, 1000),
    ],
)
def test_speed_points_match_published_tables(
    seconds: float, limit: float | None, floor: float, expected: int
) -> None:
    assert round_points(1000 * speed_share(seconds, limit, floor)) == expected


# round(5 * (1 - t / 30)) in JavaScript, which rounds 4.5 to 5.
@pytest.mark.parametrize(
    ("seconds", "expected"), [(0, 15), (3, 15), (3.1, 14), (15, 13), (30, 10), (99, 10), (-1, 15)]
)
def test_classic_points_add_a_bonus_for_speed(seconds: float, expected: int) -> None:
    assert classic_points(10, seconds) == expected
    assert classic_points(0, seconds) == 0


@pytest.mark.parametrize(
    ("partial", "correct", "chosen", "points", "is_correct"),
    [
        (Partial.ALL_OR_NOTHING, "ab", "ab", 1000, True),
        (Partial.ALL_OR_NOTHING, "ab", "a", 0, False),
        (Partial.ALL_OR_NOTHING, "ab", "abc", 0, False),
        (Partial.ALL_OR_NOTHING, "ab", "", 0, False),
        (Partial.ALL_OR_NOTHING, "", "", 0, False),
        (Partial.PER_OPTION, "a", "a", 1000, True),
        (Partial.PER_OPTION, "ab", "a", 500, False),
        (Partial.PER_OPTION, "ab", "ac", 0, False),
        (Partial.PER_OPTION, "abc", "abc", 1500, True),
        (Partial.BALANCED, "abc", "ab", 667, False),
        (Partial.BALANCED, "abc", "abd", 333, False),
        (Partial.BALANCED, "ab", "acd", 0, False),
        (Partial.BALANCED, "ab", "ab", 1000, True),
    ],
)
def test_partial_answers_get_their_share(
    partial: Partial, correct: str, chosen: str, points: int, is_correct: bool
) -> None:
    result = score(partial, correct=correct, chosen=chosen)
    assert (result.points, result.is_correct) == (points, is_correct)


def test_partial_share_applies_to_speed_and_classic_points() -> None:
    half = Partial.BALANCED
    assert score(half, correct="ab", chosen="a", mode="speed", seconds=10).points == 375
    assert score(half, correct="ab", chosen="a", mode="classic", points=10).points == 8


def test_streak_bonus_grows_to_half_of_the_points() -> None:
    bonuses = [score(correct="a", chosen="a", streak=streak).points - 1000 for streak in range(8)]
    assert bonuses == [0, 100, 200, 300, 400, 500, 500, 500]
    assert score(correct="a", chosen="a", streak=3, points=2000).points == 2600
    assert score(correct="a", chosen="a", streak=3, points=0) == TriviaScore(0, True, 4)
    assert score(correct="a", chosen="b", streak=3) == TriviaScore(0, False, 0)
    # The streak is counted even if it gives no points, since screens show it.
    assert score(correct="a", chosen="a") == TriviaScore(1000, True, 1)


@given(
    rules,
    st.sampled_from(Partial),
    option_sets,
    option_sets,
    st.integers(0, 2000),
    times,
    limits,
    st.integers(0, 9),
)
def test_trivia_points_are_never_negative_or_above_a_perfect_answer(
    rules: TriviaRules,
    partial: Partial,
    correct: frozenset[str],
    chosen: frozenset[str],
    points: int,
    seconds: float,
    limit: int | None,
    streak: int,
) -> None:
    def scored(chosen: frozenset[str], seconds: float) -> TriviaScore:
        return score_answer(
            rules,
            judge_choices(partial, correct, chosen),
            points=points,
            seconds=seconds,
            limit=limit,
            streak=streak,
        )

    result = scored(chosen, seconds)
    assert 0 <= result.points <= scored(correct, 0).points
    assert result.points >= scored(chosen, seconds + 1).points
    assert result.is_correct == (chosen == correct != frozenset())
    if not correct & chosen:
        assert result.points == 0


@given(st.integers(0, 2000), times, times, limits, floors)
def test_faster_answers_never_get_fewer_points(
    points: int, one: float, other: float, limit: int | None, floor: float
) -> None:
    early, late = sorted((one, other))
    assert 1 >= speed_share(early, limit, floor) >= speed_share(late, limit, floor) >= 0
    assert classic_points(points, early) >= classic_points(points, late) >= points


def test_tied_players_share_a_place_and_the_next_is_skipped() -> None:
    ranked = rank_players({"Sue": (3, 0.0), "Joe": (5, 0.0), "Sam": (5, 0.0)})
    assert [*ranked.items()] == [("Joe", 1), ("Sam", 1), ("Sue", 3)]


def test_less_time_decides_between_equal_points() -> None:
    totals = {"Ada": (900, 8.25), "Ben": (900, 8.0), "Cy": (900, 0.1 + 0.2 + 7.7), "Di": (0, 0.0)}
    assert [*rank_players(totals).items()] == [
        ("Ben", 1),
        ("Cy", 1),  # the same to the millisecond
        ("Ada", 3),
        ("Di", 4),
    ]


@given(totals)
def test_leaderboard_is_the_same_for_any_order_of_players(
    totals: dict[str, tuple[int, float]],
) -> None:
    ranked = rank_players(totals)
    assert [*ranked.items()] == [*rank_players(dict(reversed(totals.items()))).items()]
    assert ranked.keys() == totals.keys()
    keys = {player: (-points, time) for player, (points, time) in totals.items()}
    for player, place in ranked.items():
        assert place == sum(key < keys[player] for key in keys.values()) + 1


def test_team_points_are_the_mean_of_all_members() -> None:
    teams = {"Ada": "red", "Ben": "red", "Cy": "red", "Di": "blue", "Eve": ""}
    points = {"Ada": 10, "Ben": 6, "Di": 5, "Eve": 99}
    assert team_totals(points, teams) == {"red": 5.3, "blue": 5.0}


@given(
    st.dictionaries(st.text(max_size=3), st.tuples(st.integers(0, 9999), st.sampled_from("xyz")))
)
def test_team_points_lie_between_those_of_its_members(
    players: dict[str, tuple[int, str]],
) -> None:
    points = {player: each for player, (each, _) in players.items()}
    teams = {player: team for player, (_, team) in players.items()}
    for team, mean in team_totals(points, teams).items():
        members = [points[player] for player in players if teams[player] == team]
        assert min(members) <= mean <= max(members)
        assert mean == round(mean, 1)
