"""Question sets in Moodle's GIFT format."""

from __future__ import annotations

import pytest

from singletable_apps.games.formats import SetFormat, read_set
from singletable_apps.games.questions import Question, QuestionType

GIFT = r"""// A comment { with braces }
$CATEGORY: $course$/top/History of R//D

::Tomb:: Who is buried in Grant's tomb? {
    ~Grant # No.
    ~Jefferson
    =no one # Entombed, not buried.
}

Grant is {~buried =entombed ~living} in Grant's tomb.

The Sun is a star. {T}

The Moon is a star. {FALSE#It is.#Right! ####It is a rock.}

Two plus two equals {=four =4}.

When was Grant born? {#1822:5}

Match these. {=Canada -> Ottawa =Italy -> Rome}

Read this first.

Which are prime? {~%50%2 ~%50%3 ~%-100%4}

$CATEGORY: Code
[html]What does <code>a \= \{\}</code> &amp; <b>more</b> do?{=Assign \~ \: \# ~Nothing}

Write about Thor Heyerdahl. {}

What is this? {=broken
"""


def read_gift() -> dict[str, Question]:
    return {each.title: each for each in read_set(GIFT.encode(), "bank.gift").draft.questions}


def correct_texts(question: Question) -> list[str]:
    return [each.text for each in question.options if each.id in question.correct]


def test_gift_choices_become_trivia() -> None:
    questions = read_gift()
    tomb = questions["Who is buried in Grant's tomb?"]
    assert (tomb.type, correct_texts(tomb)) == (QuestionType.TRIVIA, ["no one"])
    assert [each.text for each in tomb.options] == ["Grant", "Jefferson", "no one"]
    assert tomb.explanation == "Entombed, not buried."
    assert tomb.category == "History of R/D"
    assert correct_texts(questions["Grant is _____ in Grant's tomb."]) == ["entombed"]
    assert correct_texts(questions["Which are prime?"]) == ["2", "3"]


def test_gift_true_false_has_two_options() -> None:
    questions = read_gift()
    assert correct_texts(questions["The Sun is a star."]) == ["True"]
    moon = questions["The Moon is a star."]
    assert (correct_texts(moon), moon.explanation) == (["False"], "It is a rock.")


def test_gift_short_answers_are_typed_and_numerical_ones_explained() -> None:
    questions = read_gift()
    short = questions["Two plus two equals _____."]
    assert short.type is QuestionType.TYPED
    assert [option.text for option in short.options] == ["four", "4"]
    assert questions["When was Grant born?"].explanation == "Answer: 1822 ± 5."
    essay = questions["Write about Thor Heyerdahl."]
    assert (essay.type, essay.category) == (QuestionType.CALL_AND_ANSWER, "Code")


def test_gift_answers_for_a_part_of_the_points_are_not_correct() -> None:
    text = (
        "Jesus was from {~Rome ~%50%Galilee =Nazareth}.\n\nBorn in? {#=1822:0 =%50%1822:2}\n\n"
        "What is pi? {#3.141..3.142}.\n\n::A::Up? {T}\n::B::Down? {F#Wrong.#Right.}\n"
    )
    town, born, pi, up, down = read_set(text.encode(), "x").draft.questions
    assert (town.title, correct_texts(town)) == ("Jesus was from _____.", ["Nazareth"])
    assert (born.explanation, pi.title) == ("Answer: 1822.", "What is pi?")
    # The blank line before a question with a name may be missing.
    assert (correct_texts(up), down.explanation) == (["True"], "Right.")


def test_gift_escapes_and_markup_are_plain_text() -> None:
    code = read_gift()["What does a = {} & more do?"]
    assert correct_texts(code) == ["Assign ~ : #"]


def test_gift_problems_name_the_line() -> None:
    read = read_set(GIFT.encode(), "bank.gift")
    assert read.format is SetFormat.GIFT
    lines = GIFT.splitlines()
    assert [lines[each.row - 1].split()[0] for each in read.errors] == ["Match", "Read", "What"]
    assert [each.text.split()[0] for each in read.errors] == ["Matching", "A", "The"]


def test_long_gift_text_becomes_the_detail_of_a_named_question() -> None:
    text = f"::Short name:: {'word ' * 100} {{T}}"
    [question] = read_set(text.encode(), "x.txt").draft.questions
    assert (question.title, len(question.detail)) == ("Short name", 499)


@pytest.mark.parametrize("text", ["a {", "} b {", "::x", "{}", "::a::{=}", "a{~~=}", "a{#}"])
def test_broken_gift_is_reported_and_never_fails(text: str) -> None:
    read = read_set(f"$CATEGORY: x\n{text}\n".encode(), "x.txt")
    assert read.errors or read.draft.questions


def test_endless_files_are_read_in_part() -> None:
    answers = read_set(b"Which? {" + b"~a" * 100_000 + b"}", "x.gift")
    assert [each.text for each in answers.errors] == ["Use at most 8 answers."]
    questions = read_set(b"Which? {=a ~b}\n\n" * 2_000, "x.gift")
    assert len(questions.draft.questions) == 300
    assert "at most 300" in questions.errors[-1].text
    many = b'{"questions": [' + b'{"type": "text", "title": ""},' * 50_000 + b"{}]}"
    assert len(read_set(many, "x.json").errors) == 1_000
