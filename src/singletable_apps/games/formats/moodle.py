"""Question sets in Moodle's text formats, GIFT and Aiken.

Multiple choice, true-false and missing-word questions become trivia. A short or numerical answer
becomes a free text with the expected answers as its explanation, and an essay a call-and-answer
question. Matching questions and descriptions have no equal here and are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from typing import NamedTuple

from singletable_apps.games.formats.results import (
    QuestionList,
    ReadSet,
    SetFormat,
    correct_letters,
)
from singletable_apps.games.questions import (
    MAX_TITLE,
    OPTION_IDS,
    Question,
    QuestionType,
    SetDraft,
    make_options,
)

_AIKEN_OPTION = re.compile(r"([A-Za-z])[.)]\s+(.*)")
_AIKEN_ANSWER = re.compile(r"ANSWER:\s*(.*)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([~=#{}:\\n])")
_WEIGHT = re.compile(r"%(-?\d{1,3}(?:\.\d+)?)%")
_FORMAT = re.compile(r"\[(html|moodle|plain|markdown)\]")
_TRUTH = re.compile(r"(T|TRUE|F|FALSE)\s*(?:#.*)?", re.IGNORECASE | re.DOTALL)
# While a question is split, an escaped character is one of the private use area.
_PRIVATE = 0xE000


class _Block(NamedTuple):
    """The lines of a question, and the number of the first."""

    line: int
    text: str


class _Answer(NamedTuple):
    """An answer in braces: its text, its share of the points in percent, and the feedback."""

    text: str
    weight: float
    feedback: str
    is_wrong: bool


# ------------------------------------------------------------------------------ GIFT


def is_gift(text: str) -> bool:
    """Return whether a text has answers in braces as GIFT has them."""
    return bool(re.search(r"(?<!\\)\{[^{}]*(?<!\\)\}", text)) or "$CATEGORY:" in text


def read_gift(text: str, name: str) -> ReadSet:
    """Read a GIFT file."""
    found = QuestionList()
    category = ""
    for block in _gift_blocks(text):
        if block.text.startswith("$CATEGORY:"):
            # Moodle writes a slash in a name as two.
            path = re.split(r"(?<!/)/(?!/)", block.text.partition(":")[2].strip())
            category = path[-1].replace("//", "/").strip()
            category = "" if category in ("top", "$course$", "$system$") else category
        else:
            _read_gift_question(found, block, category)
    return found.finish(SetFormat.GIFT, name)


def _gift_blocks(text: str) -> Iterator[_Block]:
    """Yield the blocks between blank lines without comments; a category is a block, too."""
    lines: list[str] = []
    first = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = line.strip()
        if stripped.startswith("//"):
            continue
        is_category = stripped.startswith("$CATEGORY:")
        # People forget the blank line before a question that has a name.
        is_next = stripped.startswith("::") and bool(lines) and "}" in lines[-1]
        if (not stripped or is_category or is_next) and lines:
            yield _Block(first, "\n".join(lines))
            lines = []
        if is_category:
            yield _Block(number, stripped)
        elif stripped:
            first = first if lines else number
            lines.append(stripped)


def _read_gift_question(found: QuestionList, block: _Block, category: str) -> None:
    # Tabs and other control characters are spaces, so the private area is ours.
    text = "".join(each if not 0xE000 <= ord(each) < 0xE080 else " " for each in block.text)
    text = _ESCAPED.sub(lambda match: chr(_PRIVATE + ord(match[1])), text)
    label = ""
    if text.startswith("::") and "::" in text[2:]:
        label, _, text = text[2:].partition("::")
    opening, closing = text.find("{"), text.find("}")
    if opening < 0:
        found.reject(block.line, "", "A description without answers was left out.")
        return
    if closing < opening or "{" in text[opening + 1 : closing] or "{" in text[closing:]:
        found.reject(
            block.line,
            "",
            "The braces do not match. Each question has one pair of braces, no blank line inside, "
            "and a blank line after it. Put a backslash before braces that are text.",
        )
        return
    body, general = text[opening + 1 : closing], ""
    body, _, general = body.partition("####")
    before, after = text[:opening].strip(), text[closing + 1 :].strip()
    format_ = _FORMAT.match(before)
    before = _FORMAT.sub("", before, count=1).strip() if format_ else before
    is_html = bool(format_ and format_[1] in ("html", "moodle"))
    if not after or (after in ".?!" and before.endswith((".", "?", "!"))):
        title = before
    else:
        # A missing word.
        title = f"{before} _____{'' if after in '.?!' else ' '}{after}"
    title, explanation = _plain(title, is_html), _plain(general, is_html)
    detail = ""
    if len(title) > MAX_TITLE and label.strip():
        title, detail = _plain(label, is_html=False), title
    question = Question(
        QuestionType.TRIVIA, title, detail, category=category, explanation=explanation
    )
    _read_gift_answers(found, block.line, question, body.strip(), is_html=is_html)


def _read_gift_answers(
    found: QuestionList, line: int, question: Question, body: str, *, is_html: bool
) -> None:
    if not body:
        found.add(line, replace(question, type=QuestionType.CALL_AND_ANSWER))
        return
    if _TRUTH.fullmatch(body):
        # Feedback follows for a wrong answer, and then for the right one.
        is_true, comment = body[0] in "Tt", _plain(body.rpartition("#")[2], is_html)
        comment = comment if "#" in body else ""
        answers = [
            _Answer("True", 100.0 * is_true, comment, not is_true),
            _Answer("False", 100.0 * (not is_true), comment, is_true),
        ]
    else:
        answers = _split_answers(body.removeprefix("#"), is_html)
    right = _right(answers)
    if body.startswith("#"):
        _add_expected(found, line, question, [_number_range(each.text) for each in right])
    elif any("->" in each.text for each in answers):
        found.reject(
            line, "", "Matching questions were left out. Ask for one pair at a time, with options."
        )
    elif not any(each.is_wrong for each in answers):
        _add_expected(found, line, question, [each.text for each in right])
    elif len(answers) > len(OPTION_IDS):
        text = f"Use at most {len(OPTION_IDS)} answers; there are {len(answers)}."
        found.reject(line, "options", text)
    else:
        feedback = next((each.feedback for each in right if each.feedback), "")
        trivia = replace(
            question,
            options=make_options([each.text for each in answers]),
            correct=tuple(
                letter
                for letter, each in zip(OPTION_IDS, answers, strict=False)
                if any(each is one for one in right)
            ),
            explanation=question.explanation or feedback,
        )
        found.add(line, trivia)


def _right(answers: Sequence[_Answer]) -> list[_Answer]:
    """Return the answers for all points; if each gives a part of them, those with a part."""
    full = [each for each in answers if each.weight >= 100]
    return full or [each for each in answers if each.weight > 0]


def _add_expected(
    found: QuestionList, line: int, question: Question, expected: Sequence[str]
) -> None:
    """Add a question for free text; the expected answers are shown afterwards."""
    answer = f"Answer: {' or '.join(each for each in expected if each)}."
    explanation = f"{answer} {question.explanation}".strip()
    found.add(line, replace(question, type=QuestionType.TEXT, explanation=explanation))


def _split_answers(body: str, is_html: bool) -> list[_Answer]:
    answers: list[_Answer] = []
    parts = re.split(r"([=~])", body if body[:1] in ("=", "~") else f"={body}")
    for sign, raw in zip(parts[1::2], parts[2::2], strict=True):
        text = raw.strip()
        weight = 100.0 if sign == "=" else 0.0
        match = _WEIGHT.match(text)
        if match:
            weight, text = float(match[1]), text[match.end() :]
        text, _, feedback = text.partition("#")
        answers.append(
            _Answer(_plain(text, is_html), weight, _plain(feedback, is_html), sign == "~")
        )
    return answers


def _number_range(text: str) -> str:
    value, _, margin = text.partition(":")
    if ".." in value:
        return value.replace("..", " to ")
    return f"{value} ± {margin}" if margin.strip("0. ") else value


def _plain(text: str, is_html: bool) -> str:
    """Return the text with escaped characters restored and without markup."""
    text = _FORMAT.sub("", text.strip(), count=1) if _FORMAT.match(text.strip()) else text
    if is_html or re.search(r"</?(p|br|b|i|em|strong|span|div|code|sub|sup)\b[^>]*>", text):
        text = unescape(re.sub(r"<[^<>]*>", " ", text))
    restored = (
        chr(ord(each) - _PRIVATE) if _PRIVATE <= ord(each) < _PRIVATE + 128 else each
        for each in text.replace(chr(_PRIVATE + ord("n")), "\n")
    )
    return "".join(restored).strip()


def write_gift(draft: SetDraft) -> bytes:
    """Return the trivia and call-and-answer questions in GIFT."""
    parts: list[str] = []
    category = ""
    for number, question in enumerate(draft.questions, 1):
        if question.category != category:
            category = question.category
            parts.append(f"$CATEGORY: {category.replace('/', '//') or 'top'}")
        answers = [
            f"\t{_sign(question, option.id)}{_escape(option.text)}" for option in question.options
        ]
        if question.explanation:
            answers.append(f"\t####{_escape(question.explanation)}")
        body = "\n".join(["{", *answers, "}"]) if answers else "{}"
        parts.append(f"::Q{number}:: {_escape(question.title)} {body}")
    return ("\n\n".join(parts) + "\n").encode()


def _sign(question: Question, option: str) -> str:
    """Return the sign and weight of an option: a question with several has only percentages."""
    if len(question.correct) == 1:
        return "=" if option in question.correct else "~"
    return f"~%{100 / len(question.correct):.5g}%" if option in question.correct else "~%-100%"


def _escape(text: str) -> str:
    return re.sub(r"([~=#{}:\\])", r"\\\1", text).replace("\n", "\\n")


def fits_gift(question: Question) -> bool:
    """Return whether GIFT can contain a question: trivia with options of text, or free text."""
    if question.type is QuestionType.TRIVIA:
        return len(question.options) > 1 and all(each.text for each in question.options)
    return question.type in (QuestionType.CALL_AND_ANSWER, QuestionType.TEXT)


# ------------------------------------------------------------------------------ Aiken


def is_aiken(text: str) -> bool:
    """Return whether a text has lines with the correct answer as Aiken has them."""
    return any(_AIKEN_ANSWER.match(line.strip()) for line in text.splitlines()) and any(
        _AIKEN_OPTION.match(line.strip()) for line in text.splitlines()
    )


def read_aiken(text: str, name: str) -> ReadSet:
    """Read an Aiken file: a question, its options as `A. text`, and `ANSWER: A`."""
    found = QuestionList()
    title: list[str] = []
    options: list[str] = []
    first = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        stripped = line.strip()
        answer = _AIKEN_ANSWER.match(stripped)
        option = _AIKEN_OPTION.match(stripped)
        if answer:
            _add_aiken(found, first or number, (" ".join(title), options, answer[1]))
            title, options, first = [], [], 0
        elif option and title:
            options.append(option[2])
        elif stripped:
            if options:
                text_ = "The line with ANSWER: is missing after the options."
                found.reject(first, "correct", text_)
                title, options, first = [], [], 0
            first = first or number
            title.append(stripped)
    if title:
        found.reject(first, "correct", "The line with ANSWER: is missing after the options.")
    return found.finish(SetFormat.AIKEN, name)


def _add_aiken(found: QuestionList, line: int, parts: tuple[str, list[str], str]) -> None:
    title, texts, answer = parts
    if len(texts) > len(OPTION_IDS):
        text = f"Use at most {len(OPTION_IDS)} options; there are {len(texts)}."
        found.reject(line, "options", text)
        return
    letters = tuple(each for each in re.split(r"[\s,;]+", answer.casefold()) if each)
    if not letters or not set(letters) <= set(OPTION_IDS[: len(texts)]):
        found.reject(line, "correct", f"“{answer[:40]}” is not the letter of an option.")
        return
    question = Question(QuestionType.TRIVIA, title, options=make_options(texts), correct=letters)
    found.add(line, question)


def write_aiken(draft: SetDraft) -> bytes:
    """Return the questions in Aiken; those that do not fit must be left out before."""
    return "\n".join(
        "\n".join(
            [
                each.title,
                *(
                    f"{OPTION_IDS[n].upper()}. {option.text}"
                    for n, option in enumerate(each.options)
                ),
                f"ANSWER: {correct_letters(each).upper()}",
                "",
            ]
        )
        for each in draft.questions
    ).encode()


def fits_aiken(question: Question) -> bool:
    """Return whether Aiken can contain a question: one correct answer, and options of text."""
    return (
        question.type is QuestionType.TRIVIA
        and len(question.options) > 1
        and len(question.correct) == 1
        and all(option.text for option in question.options)
        and not _AIKEN_OPTION.match(question.title)
        and not _AIKEN_ANSWER.match(question.title)
    )
