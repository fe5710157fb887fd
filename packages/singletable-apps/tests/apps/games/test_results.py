"""Summaries of answers: counts, ratings, orders, texts, and what is hidden."""

from __future__ import annotations

import json
from dataclasses import replace

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.games.kinds import summarize
from singletable_apps.games.questions import Question, QuestionType, Scale, make_options
from singletable_apps.games.results import (
    MAX_WORDS,
    Reply,
    Summary,
    count_words,
)
from tests.apps.games.support.world import PAINTER, PLANETS

OPTIONS = make_options(["Tea", "Coffee", "Water"])
CHOICE = Question(QuestionType.CHOICE, "Drink?", options=OPTIONS, selections=2)
TRIVIA = Question(QuestionType.TRIVIA, "Hot?", options=OPTIONS, correct=("a", "b"))
YES_NO = Question(QuestionType.YES_NO, "Again?")
RANK = Question(QuestionType.RANK, "Order?", options=OPTIONS)
TEXT = Question(QuestionType.TEXT, "Why?")
RATING = Question(QuestionType.RATING, "Recommend?", scale=Scale.ELEVEN)
CALL = Question(QuestionType.CALL_AND_ANSWER, "?")
SLIDER = Question(QuestionType.SLIDER, "How many?", high=10, target=4, tolerance=1)
EVERY = (CHOICE, TRIVIA, YES_NO, RANK, TEXT, RATING, CALL, SLIDER, PLANETS, PAINTER)

replies = st.lists(
    st.builds(
        Reply,
        st.lists(st.sampled_from(["a", "b", "c", "yes", "no", "?"]), max_size=4).map(tuple),
        st.none() | st.integers(-1, 11),
        st.text(max_size=6),
        st.floats(0, 60),
    ),
    max_size=8,
)


def choose(*choices: str) -> list[Reply]:
    """Return a reply for each text, whose letters are the chosen options."""
    return [Reply(tuple(each)) for each in choices]


def counted(summary: Summary) -> list[tuple[str, int, float, float]]:
    return [(each.text, each.count, each.of_answers, each.of_players) for each in summary.options]


def test_choices_are_counted_in_percent_of_answers_and_players() -> None:
    summary = summarize(CHOICE, choose("a", "ab", "aa", "?"), players=8)
    assert (summary.answered, summary.players, summary.hidden) == (3, 8, "")
    assert counted(summary) == [
        ("Tea", 3, 100.0, 37.5),
        ("Coffee", 1, 33.3, 12.5),
        ("Water", 0, 0, 0),
    ]
    assert [each.is_correct for each in summary.options] == [None, None, None]


# Players who have left since are not counted, but their answers are.
def test_players_are_at_least_those_who_answered() -> None:
    assert summarize(YES_NO, [Reply(("yes",)), Reply(("no",))], players=1).players == 2


def test_trivia_shows_correct_answers_and_mean_time() -> None:
    given = [Reply(("b", "a"), seconds=2), Reply(("a",), seconds=3), Reply(("a", "c"), seconds=5)]
    summary = summarize(TRIVIA, given, players=4)
    assert [each.is_correct for each in summary.options] == [True, True, False]
    assert (summary.correct, summary.correct_percent, summary.mean_seconds) == (1, 33.3, 3.33)


def test_rating_has_mean_median_histogram_and_promoter_score() -> None:
    numbers = (10, 10, 9, 8, 6, 0, 11, None)
    summary = summarize(RATING, [Reply(number=number) for number in numbers])
    assert (summary.answered, summary.mean, summary.median) == (6, 7.17, 8.5)
    assert summary.nps == 17  # three promoters and two detractors of six
    assert [each.count for each in summary.options] == [1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 2]
    stars = Question(QuestionType.RATING, "Stars?", scale=Scale.STARS)
    assert summarize(stars, [Reply(number=5)]).nps is None


def test_ranks_are_ordered_by_schulze_with_mean_position() -> None:
    summary = summarize(RANK, choose("bac", "bca", "ab", "c"))
    assert [
        (each.text, each.place, each.mean_position, each.first_choices) for each in summary.ranking
    ] == [("Coffee", 1, 1.63, 2), ("Tea", 2, 2.13, 1), ("Water", 2, 2.25, 1)]


def test_numbers_are_drawn_in_few_bars_with_that_of_the_target() -> None:
    wide = replace(SLIDER, low=-500, high=15_000, step=100, target=5_555, tolerance=1_000)
    summary = summarize(wide, [Reply(number=number) for number in (5_500, 6_500, 6_600, 7)])
    assert (summary.answered, summary.correct, summary.mean) == (3, 2, 6_200)
    assert len(summary.options) == 20
    chosen = [each for each in summary.options if each.count]
    assert [(each.text, each.count, each.is_correct) for each in chosen] == [
        ("5100 to 5800", 1, True),
        ("5900 to 6600", 2, False),
    ]
    assert summary.options[-1].text == "14700 to 15000"


def test_orders_count_right_places_and_typed_texts_are_grouped() -> None:
    right = PLANETS.correct
    summary = summarize(PLANETS, [Reply(right), Reply((right[1], right[0], *right[2:]))])
    assert [(each.text, each.count) for each in summary.options] == [
        *(("Mercury", 1), ("Mars", 1), ("Venus", 2), ("Jupiter", 2)),
    ]
    assert summary.correct_percent == 50
    typed = [Reply(text=text) for text in ("picasso!", "Dalí", "dali", "PICASSO", " ", "Miró")]
    summary = summarize(PAINTER, typed)
    assert [(each.text, each.count, each.is_correct) for each in summary.options] == [
        *(("Dalí", 2, False), ("PICASSO", 2, True), ("Miró", 1, False)),
    ]


def test_texts_are_sorted_and_their_words_counted_once_each() -> None:
    texts = ["  more Coffee, more coffee!", "The coffee’s cold", "a better room", " "]
    summary = summarize(TEXT, [Reply(text=text) for text in texts])
    assert summary.texts == ("a better room", "more Coffee, more coffee!", "The coffee’s cold")
    assert [(each.word, each.count) for each in summary.words] == [
        ("better", 1),
        ("coffee", 1),
        ("coffee's", 1),
        ("cold", 1),
        ("room", 1),
    ]


# Vowel signs and accents are parts of words; punctuation and symbols are not.
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी भाषा", ["भाषा", "हिन्दी"]),
        ("cafe\u0301 CAFÉ", ["café"]),
        ("state-of-the-art -- 'quoted'", ["quoted", "state-of-the-art"]),
        ("👍 2026 #1 \x00", []),
        ("a,b;c/d", ["b", "c", "d"]),
    ],
)
def test_words_of_any_script_are_found(text: str, words: list[str]) -> None:
    assert [each.word for each in count_words([text])] == words


def test_only_the_most_frequent_words_are_kept() -> None:
    words = [f"w{'x' * at}" for at in range(MAX_WORDS + 9)]
    counts = count_words([" ".join(words), words[-1]])
    assert len(counts) == MAX_WORDS
    assert (counts[0].word, counts[0].count) == (words[-1], 2)


@pytest.mark.parametrize("question", EVERY, ids=lambda question: question.type)
def test_few_answers_are_hidden(question: Question) -> None:
    reply = Reply(("yes",) if question is YES_NO else ("a", "b"), 9, "Secret", 1.0)
    few = summarize(question, [reply] * 4, players=9, min_cell=5)
    assert few == Summary(question.type, 4, 9, "Results hidden: fewer than 5 answers.")
    assert not summarize(question, [reply] * 5, min_cell=5).hidden


@pytest.mark.parametrize("question", EVERY, ids=lambda question: question.type)
@given(given=replies, players=st.integers(0, 9), min_cell=st.integers(0, 3))
def test_summaries_are_json_and_independent_of_the_order_of_answers(
    question: Question, given: list[Reply], players: int, min_cell: int
) -> None:
    summary = summarize(question, given, players=players, min_cell=min_cell)
    backwards = summarize(question, given[::-1], players=players, min_cell=min_cell)
    assert summary == backwards
    assert msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(summary))), Summary) == summary
    assert summary.answered <= summary.players
    assert bool(summary.hidden) == (summary.answered < min_cell)
    for each in summary.options:
        assert 0 <= each.of_players <= each.of_answers <= 100
    if question.type in (QuestionType.YES_NO, QuestionType.RATING) and not summary.hidden:
        assert sum(each.count for each in summary.options) >= summary.answered
