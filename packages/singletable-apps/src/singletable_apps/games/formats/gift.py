"""Question sets in GIFT, the text format of Moodle.

Multiple choice, true-false and missing-word questions become trivia, and short answers typed ones.
A numerical answer becomes a free text with the expected numbers as its explanation, and an essay a
call-and-answer question. Matching questions and descriptions have no equal here and are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from typing import NamedTuple

from singletable_apps.games import questions
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats.parsed_questions import QuestionList, ReadSet, SetFormat
from singletable_apps.games.kinds import kind_of

_ESCAPED = re.compile(r"\\([~=#{}:\\n])")
_WEIGHT = re.compile(r"%(-?\d{1,3}(?:\.\d+)?)%")
_FORMAT = re.compile(r"\[(html|moodle|plain|markdown)\]")
_TRUTH = re.compile(r"(T|TRUE|F|FALSE)\s*(?:#.*)?", re.IGNORECASE | re.DOTALL)
# Of a question that has no options, but texts that are right.
_MAX_ANSWERS = 200
# While a question is split, an escaped character is one of the private use area.
_PRIVATE = 0xE000


class _Answer(NamedTuple):
    """An answer in braces: its text, its share of the points in percent, and the feedback."""

    text: str
    weight: float
    feedback: str
    is_wrong: bool


def is_gift(text: str) -> bool:
    """Return whether a text has answers in braces as GIFT has them."""
    return bool(re.search(r"(?<!\\)\{[^{}]*(?<!\\)\}", text)) or "$CATEGORY:" in text


def read_gift(text: str, name: str) -> ReadSet:
    """Read a GIFT file."""
    found = QuestionList()
    category = ""
    for line, block in _split_blocks(text):
        if found.is_full:
            break
        if block.startswith("$CATEGORY:"):
            # Moodle writes a slash in a name as two.
            path = re.split(r"(?<!/)/(?!/)", block.partition(":")[2].strip())
            category = path[-1].replace("//", "/").strip()
            category = "" if category in ("top", "$course$", "$system$") else category
            continue
        try:
            found.add(line, _read_question(block, category))
        except InvalidInput as error:
            for column, problem in error.errors.items():
                found.reject(line, column, problem)
    return found.finish(SetFormat.GIFT, name)


def _split_blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield each question and category without comments, with the number of its first line."""
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
            yield first, "\n".join(lines)
            lines = []
        if is_category:
            yield number, stripped
        elif stripped:
            first = first if lines else number
            lines.append(stripped)


def _read_question(block: str, category: str) -> questions.Question:
    """Return the question of a block, or raise InvalidInput with the reason."""
    text = re.sub("[\ue000-\ue07f]", " ", block)
    text = _ESCAPED.sub(lambda match: chr(_PRIVATE + ord(match[1])), text)
    label = ""
    if text.startswith("::") and "::" in text[2:]:
        label, _, text = text[2:].partition("::")
    opening, closing = text.find("{"), text.find("}")
    if opening < 0:
        raise InvalidInput({"": "A description without answers was left out."})
    if closing < opening or "{" in text[opening + 1 :]:
        problem = (
            "The braces do not match. Each question has one pair of braces, no blank line inside, "
            "and a blank line after it. Put a backslash before braces that are text."
        )
        raise InvalidInput({"": problem})
    body, _, general = text[opening + 1 : closing].partition("####")
    before, after = text[:opening].strip(), text[closing + 1 :].strip()
    format_ = _FORMAT.match(before)
    is_html = bool(format_ and format_[1] in ("html", "moodle"))
    if not after or (after in ".?!" and before.endswith((".", "?", "!"))):
        title = before
    else:
        # A missing word.
        title = f"{before} _____{'' if after in '.?!' else ' '}{after}"
    title, detail = _plain(title, is_html), ""
    if len(title) > questions.MAX_TITLE and label.strip():
        title, detail = _plain(label, is_html=False), title
    explanation = _plain(general, is_html)
    question = questions.Question(
        questions.QuestionType.TRIVIA, title, detail, category=category, explanation=explanation
    )
    return _add_answers(question, body.strip(), is_html=is_html)


def _add_answers(question: questions.Question, body: str, *, is_html: bool) -> questions.Question:
    if not body:
        return replace(question, type=questions.QuestionType.CALL_AND_ANSWER)
    if _TRUTH.fullmatch(body):
        # Feedback follows for a wrong answer, and then for the right one.
        is_true, comment = body[0] in "Tt", _plain(body.partition("#")[2].split("#")[-1], is_html)
        answers = [
            _Answer("True", 100.0 * is_true, comment, not is_true),
            _Answer("False", 100.0 * (not is_true), comment, is_true),
        ]
    else:
        answers = _split_answers(body.removeprefix("#"), is_html)
    # The answers for all points; if each gives a part of them, those with a part.
    right = [each for each in answers if each.weight >= 100]
    right = right or [each for each in answers if each.weight > 0]
    if any("->" in each.text for each in answers):
        problem = "Matching questions were left out. Ask for one pair at a time, with options."
        raise InvalidInput({"": problem})
    if body.startswith("#"):
        texts = [_number_range(each.text) for each in right if each.text]
        explanation = f"Answer: {' or '.join(texts)}. {question.explanation}".strip()
        return replace(question, type=questions.QuestionType.TEXT, explanation=explanation)
    if not any(each.is_wrong for each in answers):
        question, answers = replace(question, type=questions.QuestionType.TYPED), right
    if len(answers) > len(questions.OPTION_IDS):
        problem = f"Use at most {len(questions.OPTION_IDS)} answers; there are {len(answers)}."
        raise InvalidInput({"options": problem})
    ids = zip(questions.OPTION_IDS, answers, strict=False)
    feedback = next((each.feedback for each in right if each.feedback), "")
    return replace(
        question,
        options=questions.make_options([each.text for each in answers]),
        correct=tuple(letter for letter, each in ids if any(each is one for one in right)),
        explanation=question.explanation or feedback,
    )


def _split_answers(body: str, is_html: bool) -> list[_Answer]:
    answers: list[_Answer] = []
    parts = re.split(r"([=~])", body if body[:1] in ("=", "~") else f"={body}")
    if len(parts) > 2 * _MAX_ANSWERS:
        raise InvalidInput({"options": f"Use at most {len(questions.OPTION_IDS)} answers."})
    for sign, raw in zip(parts[1::2], parts[2::2], strict=True):
        text, _, feedback = raw.strip().partition("#")
        weight = _WEIGHT.match(text)
        percent = float(weight[1]) if weight else 100.0 * (sign == "=")
        text = _plain(text[weight.end() :] if weight else text, is_html)
        answers.append(_Answer(text, percent, _plain(feedback, is_html), sign == "~"))
    return answers


def _number_range(text: str) -> str:
    value, _, margin = text.replace("..", " to ").partition(":")
    return f"{value} ± {margin}" if margin.strip("0. ") and " to " not in value else value


def _plain(text: str, is_html: bool) -> str:
    """Return the text with escaped characters restored and without markup."""
    text = re.sub(rf"^\s*{_FORMAT.pattern}", "", text)
    if is_html or re.search(r"</?(p|br|b|i|em|strong|span|div|code|sub|sup)\b[^<>]*>", text):
        text = unescape(re.sub(r"<[^<>]*>", " ", text))
    text = text.replace(chr(_PRIVATE + ord("n")), "\n")
    return re.sub("[\ue000-\ue07f]", lambda match: chr(ord(match[0]) - _PRIVATE), text).strip()


def write_gift(draft: questions.SetDraft) -> bytes:
    """Return the questions that `fits_gift` in GIFT."""
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


def _sign(question: questions.Question, option: str) -> str:
    """Return the sign and weight of an option: a question with several has only percentages."""
    is_plain = len(question.correct) == 1 or question.type is questions.QuestionType.TYPED
    right = "=" if is_plain else f"~%{100 / len(question.correct):.5g}%"
    return right if option in question.correct else "~" if is_plain else "~%-100%"


def _escape(text: str) -> str:
    return re.sub(r"([~=#{}:\\])", r"\\\1", text).replace("\n", "\\n")


def fits_gift(question: questions.Question) -> bool:
    """Return whether GIFT can contain a question: trivia with options of text, or a text."""
    if question.type is questions.QuestionType.TRIVIA:
        return len(question.options) > 1 and all(each.text for each in question.options)
    return kind_of(question).is_written
