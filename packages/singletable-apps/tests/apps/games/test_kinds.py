"""Kinds of questions: what each may contain, how an order is mixed, and what answers are worth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.kinds import KINDS, as_written, check_question, kind_of
from singletable_apps.games.questions import Question, QuestionType, Scale, make_options
from singletable_apps.games.results import Reply
from singletable_apps.games.scoring import TriviaRules, score_answer
from tests.apps.games.support.world import CAPITAL, LESSON, MOON, PAINTER, PLANETS


def test_every_type_is_declared() -> None:
    assert KINDS.keys() == set(QuestionType)


@pytest.mark.parametrize(
    ("question", "changes", "field"),
    [
        (MOON, {"target": None}, "target"),
        (MOON, {"target": 1899}, "target"),
        (MOON, {"high": 1900}, "high"),
        (MOON, {"low": -2_000_000_000}, "high"),
        (MOON, {"step": 0}, "step"),
        (MOON, {"tolerance": -1}, "tolerance"),
        # Nobody could choose a number that is right.
        (MOON, {"step": 50, "tolerance": 10}, "tolerance"),
        (MOON, {"options": make_options(["x"])}, "options"),
        (PLANETS, {"correct": ("a",)}, "correct"),
        (PLANETS, {"options": PLANETS.options[:2], "correct": ()}, "options"),
        (PAINTER, {"options": (), "correct": ()}, "options"),
        (PAINTER, {"options": make_options(["x", ""])}, "options/1"),
    ],
)
def test_question_that_cannot_be_played_is_rejected(
    question: Question, changes: dict[str, Any], field: str
) -> None:
    _, errors = check_question(replace(question, **changes))
    assert list(errors) == [field]
    assert check_question(question) == (question, {})


@pytest.mark.parametrize("texts", [["1", "2", "3"], ["c", "b", "a"], [*"abcdefg"]])
def test_order_is_mixed_and_its_ids_do_not_tell_the_solution(texts: list[str]) -> None:
    written = Question(QuestionType.ORDER, "Sort.", options=make_options(texts))
    mixed, errors = check_question(written)
    assert not errors
    assert [each.text for each in mixed.options] != texts == [each.text for each in mixed.listed]
    assert [each.id for each in mixed.options] == [each.id for each in written.options]
    # All letters as the correct answer say no more than none.
    assert check_question(replace(written, correct=tuple("abcdefg"[: len(texts)])))[0] == mixed
    assert as_written(mixed) == written


def typed(*accepted: str) -> Question:
    return Question(QuestionType.TYPED, "Type it.", options=make_options(accepted))


EXACT = replace(MOON, tolerance=0)
RATING = Question(QuestionType.RATING, "How likely?", scale=Scale.ELEVEN)
a, b, c, d = PLANETS.correct


@pytest.mark.parametrize(
    ("question", "reply", "share", "is_correct"),
    [
        (MOON, Reply(number=1969), 1, True),
        (MOON, Reply(number=1974), 0.75, True),
        (MOON, Reply(number=1959), 0.5, True),
        (MOON, Reply(number=1958), 0, False),
        (EXACT, Reply(number=1969), 1, True),
        (EXACT, Reply(number=1970), 0, False),
        (PLANETS, Reply((a, b, c, d)), 1, True),
        (PLANETS, Reply((a, b, d, c)), 0.5, False),
        (PLANETS, Reply((d, a, b, c)), 0, False),
        (typed("Lima", "São Paulo"), Reply(text=" sao-PAULO!"), 1, True),
        (typed("Straße"), Reply(text="STRASSE"), 1, True),
        # Vowel signs are no accents, and signs no punctuation.
        (typed("हिन्दी"), Reply(text="हन्द"), 0, False),
        (typed("C++"), Reply(text="c"), 0, False),
        (typed("?!"), Reply(text="?"), 0, False),
        (typed("?!"), Reply(text=" ?! "), 1, True),
    ],
)
def test_answers_are_judged(
    question: Question, reply: Reply, share: float, is_correct: bool
) -> None:
    judged = kind_of(question).judge(question, reply)
    assert (float(judged.share), judged.is_correct) == (share, is_correct)
    points = score_answer(TriviaRules("speed"), judged, points=1000, seconds=20, limit=20).points
    assert points == 500 * share


@pytest.mark.parametrize(
    ("question", "reply", "field"),
    [
        (CAPITAL, Reply(("z",)), "choices"),
        (CAPITAL, Reply(("a", "b")), "choices"),
        (RATING, Reply(number=11), "number"),
        (replace(MOON, step=5), Reply(number=1969), "number"),
        (PLANETS, Reply(("a",)), "choices"),
        (LESSON, Reply(text="x" * 281), "text"),
    ],
)
def test_answer_that_does_not_fit_is_rejected(question: Question, reply: Reply, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        kind_of(question).read(question, reply)
    assert list(caught.value.errors) == [field]
