"""What is written can be read again, and nothing in a file makes reading fail."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats import FORMATS, SetFormat, json_schema, read_set, write_set
from singletable_apps.games.questions import (
    Category,
    EngagementType,
    Option,
    Question,
    QuestionType,
    Scale,
    SetDraft,
    make_options,
)
from tests.apps.games.support.world import MOON, PAINTER, PLANETS

IMAGE = "/games/images/8c4f0d6b1a2e3f47_4032x3024/960.webp"
QUESTIONS = (
    Question(
        *(QuestionType.TRIVIA, "=SUM(A1) is {a: #formula}?", "Two\nlines"),
        category="Tables / 1",
        options=(*make_options(["=1", "~%50%", "c, d; e", "'+x"]),),
        correct=("a", "c"),
        seconds=0,
        points=500,
        explanation="Because \\ of: #1",
        image=IMAGE,
        tags=("excel", "fun"),
    ),
    Question(
        *(QuestionType.TRIVIA, "Which picture?"),
        options=(Option("a", "", IMAGE), Option("b", "This one", IMAGE)),
        correct=("b",),
    ),
    Question(QuestionType.TRIVIA, "2?", options=make_options(["3", "2", "1"]), correct=("c",)),
    Question(QuestionType.CALL_AND_ANSWER, "Say no", "early", school="S", instruction="How?"),
    Question(QuestionType.CHOICE, "Pick", options=make_options(["x", "y", "z"]), selections=2),
    Question(QuestionType.RATING, "Rate", scale=Scale.STARS, low_label="bad", high_label="good"),
    Question(QuestionType.YES_NO, "Ready 🚀?"),
    Question(QuestionType.RANK, "Order", options=make_options(["x", "y", "z"])),
    Question(QuestionType.TEXT, "More?", longest=2_000),
    replace(MOON, low=-50, step=3, low_label="early"),
    PLANETS,
    PAINTER,
)
DRAFT = SetDraft(
    *("Everything", "All types.", EngagementType.MIXED, "Think.", "Look for themes."),
    categories=(Category("Tables / 1", "Numbers"),),
    questions=QUESTIONS,
)


@pytest.mark.parametrize("kind", [SetFormat.JSON, SetFormat.CSV, SetFormat.XLSX])
def test_own_formats_keep_every_field(kind: SetFormat) -> None:
    read = read_set(write_set(DRAFT, kind), "Everything.csv")
    assert (read.format, read.errors) == (kind, ())
    assert read.draft.questions == QUESTIONS
    if kind is SetFormat.JSON:
        assert read.draft == DRAFT


@pytest.mark.parametrize("kind", [*SetFormat])
def test_every_format_reads_what_it_writes(kind: SetFormat) -> None:
    fitting = [each for each in QUESTIONS if FORMATS[kind].fits(each)]
    assert fitting
    read = read_set(write_set(DRAFT, kind), "set")
    assert (read.format, read.errors) == (kind, ())
    assert [each.title for each in read.draft.questions] == [each.title for each in fitting]
    for got, expected in zip(read.draft.questions, fitting, strict=True):
        if expected.type in (QuestionType.TRIVIA, QuestionType.TYPED):
            assert [each.text for each in got.options] == [each.text for each in expected.options]
            assert got.correct == expected.correct


def test_json_is_valid_by_its_published_schema() -> None:
    schema = json_schema()
    jsonschema.validate(json.loads(write_set(DRAFT, SetFormat.JSON)), schema)


def test_json_reports_the_question_and_its_field() -> None:
    document = {
        "name": "Mixed",
        "questions": [
            {"type": "trivia", "title": "OK?", "options": ["Yes", "No"], "correct": "No"},
            {"type": "riddle", "title": "?", "colour": "red"},
            {"type": "trivia", "title": "Which?", "options": ["x", "y"], "correct": ["w"]},
            {"type": "choice", "title": "Which?", "options": list("abcdefghi")},
            7,
        ],
    }
    read = read_set(json.dumps(document).encode(), "x.json")
    assert [each.correct for each in read.draft.questions] == [("b",)]
    assert [(each.row, each.column) for each in read.errors] == [
        *((2, "type"), (2, "colour"), (3, "correct"), (4, "options"), (5, "")),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "not valid JSON in line 1"),
        ("[" * 100_000, "not valid JSON"),
        ('{"name": "x"}', "questions"),
        ('{"version": 2, "questions": []}', "version"),
        ('{"questions": [], "type": "quiz"}', "type"),
    ],
)
def test_json_of_another_kind_is_rejected(text: str, expected: str) -> None:
    with pytest.raises(InvalidInput, match=expected):
        read_set(text.encode(), "x.json")


@settings(max_examples=2 * settings().max_examples, deadline=None)
@given(
    start=st.sampled_from(["", "question,a1,a2,correct\n", "{", "::", "$CATEGORY: "]),
    text=st.text(alphabet='aA1.,;:=~#%{}\\"\n\t/->[]$é\ud800\ue07e', max_size=80),
)
def test_any_text_is_read_or_rejected(start: str, text: str) -> None:
    data = (start + text).encode(errors="surrogatepass")
    # Only the declared error may be raised.
    with suppress(InvalidInput):
        read_set(data, text)


plain = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1)


@settings(max_examples=settings().max_examples // 2, deadline=None)
@given(title=plain, options=st.lists(plain, min_size=2, max_size=4, unique_by=str.casefold))
def test_any_trivia_question_survives_gift_and_csv(title: str, options: list[str]) -> None:
    question = Question(
        QuestionType.TRIVIA, title, options=make_options(options), correct=("b",), category="c"
    )
    first = read_set(write_set(replace(DRAFT, questions=(question,)), SetFormat.JSON), "x")
    for kind in (SetFormat.GIFT, SetFormat.CSV):
        assert read_set(write_set(first.draft, kind), "x").draft.questions == (
            first.draft.questions
        )
