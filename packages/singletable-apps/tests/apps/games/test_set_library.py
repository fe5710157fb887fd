"""The templates and sample sets are valid, complete and worth playing."""

from __future__ import annotations

import pytest

from singletable_apps.games.questions import EngagementType, QuestionType, SetDraft
from singletable_apps.games.set_library import load_samples, load_templates


def test_samples_cover_every_type_of_engagement() -> None:
    types = [draft.type for draft in load_samples().values()]
    assert sorted(types) == sorted([*EngagementType, EngagementType.TRIVIA])


def test_templates_are_the_four_occasions() -> None:
    assert [*load_templates()] == ["retrospective", "trivia-night", "icebreaker", "workshop"]


@pytest.mark.parametrize("name", load_samples())
def test_sample_has_ten_to_fifteen_different_questions(name: str) -> None:
    draft = load_samples()[name]
    assert 10 <= len(draft.questions) <= 15
    assert len({each.title for each in draft.questions}) == len(draft.questions)
    assert draft.description
    _check_answers(draft)


def _check_answers(draft: SetDraft) -> None:
    trivia = [each for each in draft.questions if each.type is QuestionType.TRIVIA]
    # Players learn why, and the first option is not always the correct one.
    assert all(each.explanation and each.seconds for each in trivia)
    if trivia:
        assert len({each.correct for each in trivia}) > 1
