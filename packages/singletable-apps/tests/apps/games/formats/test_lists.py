"""Pasted lists of questions: every usual notation of options and correct answers is understood."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.games.formats import read_set
from singletable_apps.games.formats.lists import read_list
from singletable_apps.games.questions import Question, QuestionType
from tests.apps.games.support.world import MOON, PAINTER, PLANETS

T = QuestionType


def read(text: str) -> list[Question]:
    found = read_list(text, "Pasted", T.CALL_AND_ANSWER)
    assert not found.errors, found.errors
    return [*found.draft.questions]


def summary(question: Question) -> tuple[str, list[str], list[str]]:
    """Return the title, the options, and the correct ones."""
    options = {each.id: each.text for each in question.options}
    return question.title, [*options.values()], [options[each] for each in question.correct]


LABELS = ("", "{letter}) ", "({letter}) ", "{letter}. ", "{upper}) ", "{number}. ", "- ", "• ")
MARKS = (
    *("* {0}{1}", "*{0}{1}", "{0}*{1}", "{0}* {1}", "{0}{1} *", "{0}{1}*", "{0}**{1}**"),
    *("✓ {0}{1}", "{0}✓ {1}", "{0}{1} ✓", "✔ {0}{1}", "{0}✅ {1}", "{0}☑ {1}"),
    *("[x] {0}{1}", "{0}[x] {1}", "{0}[X] {1}", "{0}{1} [x]", "{0}{1} (correct)"),
)


@pytest.mark.parametrize(("label", "mark"), [*product(LABELS, MARKS)])
def test_correct_options_are_found_in_every_notation(label: str, mark: str) -> None:
    texts = ["inner core", "outer core", "crust"]
    labels = [
        label.format(letter="abc"[at], upper="ABC"[at], number=at + 1) for at in range(len(texts))
    ]
    lines = [mark.format(*each) if at == 1 else "".join(each)
             for at, each in enumerate(zip(labels, texts, strict=True))]  # fmt: skip
    (question,) = read("\n".join(["What is liquid?", *lines]))
    assert question.type is T.TRIVIA
    assert summary(question) == ("What is liquid?", texts, ["outer core"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Check boxes of Markdown, with stars as bullets.
        ("* Sky?\n* [ ] Green\n* [x] Blue", ("Sky?", ["Green", "Blue"], ["Blue"])),
        ("- Sky?\n- [ ] Green\n- [x] Blue", ("Sky?", ["Green", "Blue"], ["Blue"])),
        ("Sky?\n❌ Green\n✅ Blue", ("Sky?", ["Green", "Blue"], ["Blue"])),
        ("Sky?\n❌ Green\n* Blue", ("Sky?", ["Green", "Blue"], ["Blue"])),
        # A star before every line is a bullet.
        ("* Sky?\n* Green\n* Blue", ("Sky?", ["Green", "Blue"], [])),
        ("1. Sky?\na) Green\nb) *Blue", ("Sky?", ["Green", "Blue"], ["Blue"])),
        # Aiken's notation, of Moodle.
        ("Sky?\nA) Green\nB) Blue\nANSWER: B", ("Sky?", ["Green", "Blue"], ["Blue"])),
        ("Sky?\nGreen\nBlue\nLösung: b", ("Sky?", ["Green", "Blue"], ["Blue"])),
        ("Sky?\nA) Gray\nB) Blue\nCorrect: (a), B", ("Sky?", ["Gray", "Blue"], ["Gray", "Blue"])),
        # A star may replace the letter.
        ("Sky?\nA) Green\n* Blue", ("Sky?", ["Green", "Blue"], ["Blue"])),
        # What only looks like a mark stays.
        ("Sum?\n-5\n* 3.5\n3. 5", ("Sum?", ["-5", "3.5", "3. 5"], ["3.5"])),
        (
            "Who?\n1. FC Köln\n* 1. FC Nürnberg",
            ("Who?", ["1. FC Köln", "1. FC Nürnberg"], ["1. FC Nürnberg"]),
        ),
        ("Grade?\nA*\n* B", ("Grade?", ["A*", "B"], ["B"])),
        (
            "Who?\nA. Lincoln\nT. Jefferson *",
            ("Who?", ["A. Lincoln", "T. Jefferson"], ["T. Jefferson"]),
        ),
        ("Search?\n* 5 * 3\n5 + 3", ("Search?", ["5 * 3", "5 + 3"], ["5 * 3"])),
    ],
)
def test_marks_are_told_from_texts(text: str, expected: tuple[str, list[str], list[str]]) -> None:
    (question,) = read(f"\n{text}\n")
    assert summary(question) == expected
    assert question.type is (T.TRIVIA if expected[2] else T.CHOICE)


def test_questions_without_blank_lines_begin_after_the_last_option_with_a_letter() -> None:
    peru, chile = "a) Quito\nb) Lima\nANSWER: B", "a) Santiago *\nb) Arica"
    text = f"1. Capital of Peru?\n{peru}\n2. Capital of Chile?\n{chile}"
    assert [*map(summary, read(text))] == [
        ("Capital of Peru?", ["Quito", "Lima"], ["Lima"]),
        ("Capital of Chile?", ["Santiago", "Arica"], ["Santiago"]),
    ]


def test_an_empty_line_between_a_question_and_its_options_is_a_problem() -> None:
    found = read_list("Capital of Peru?\n\nQuito\n* Lima", "Pasted", T.CALL_AND_ANSWER)
    assert [each.row for each in found.errors] == [3]


def test_each_line_of_a_flat_list_is_a_question() -> None:
    flat = "What went well?\n- What did not?\n3. What next?"
    expected = ["What went well?", "What did not?", "What next?"]
    assert [each.title for each in read(flat)] == expected


def test_options_that_begin_with_a_comparison_keep_it() -> None:
    (question,) = read("How old?\n> 18\n< 18\n")
    assert [each.text for each in question.options] == ["> 18", "< 18"]


def test_a_sign_of_accepted_answers_among_options_marks_the_correct_one() -> None:
    (question,) = read("Capital of Peru?\nQuito\n= Lima")
    assert summary(question) == ("Capital of Peru?", ["Quito", "Lima"], ["Lima"])


WORDS = st.text(st.characters(categories=["L"]), min_size=2, max_size=9)


@given(st.lists(WORDS, min_size=2, max_size=6, unique_by=str.casefold), st.data())
def test_no_notation_reveals_the_correct_option(texts: list[str], data: st.DataObject) -> None:
    label, mark = data.draw(st.sampled_from(LABELS)), data.draw(st.sampled_from(MARKS))
    right = data.draw(st.integers(0, len(texts) - 1))
    lines = list[str]()
    for at, text in enumerate(texts):
        own = label.format(letter="abcdef"[at], upper="ABCDEF"[at], number=at + 1)
        lines.append(mark.format(own, text) if at == right else f"{own}{text}")
    read = read_set("\n".join(["Which one?", *lines]).encode(), "pasted", T.CALL_AND_ANSWER)
    (question,) = read.draft.questions
    assert summary(question)[1:] == (texts, [texts[right]])


def test_sliders_orders_and_typed_answers_have_notations_of_their_own() -> None:
    text = (
        "Who painted Guernica?\n= Picasso\n=Pablo Picasso\n\n"
        "From small to large?\n> Mercury\n> Mars\n> Venus\n> Jupiter\n\n"
        "When did people first walk on the Moon?\n1900 to 2000: 1969 ± 10\n\n"
        "How cold?\n-90..60 by 5 = -20\n\nNever?\n5 to 3: 4"
    )
    found = read_set(text.encode(), "x", T.TEXT)
    *known, cold = (replace(each, seconds=20) for each in found.draft.questions)
    assert known == [PAINTER, PLANETS, MOON]
    assert (cold.low, cold.high, cold.step, cold.target, cold.tolerance) == (-90, 60, 5, -20, 0)
    assert [(each.row, each.column) for each in found.errors] == [(17, "high")]
    assert read_set(b"Who?\n= I", "x", T.TEXT).draft.questions[0].type is T.TYPED
