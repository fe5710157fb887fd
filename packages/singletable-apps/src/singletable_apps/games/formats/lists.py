"""Questions as plain lists, which people type or paste.

    Capital of Peru?
    a) Quito
    b) Lima *

    Which is your favorite season?
    Spring
    Fall

A block is a question and its options. A star, a check mark or `[x]` marks a correct one, on either
side of the text and of its letter. `= Lima` is an accepted answer to type, `> First` an option of
an order, and `0 to 100 by 5: 37 ± 5` a slider, its true value and tolerance. `Answer: B` below the
options names the correct ones, as in Aiken files. Without blank lines, letters and marks, each line
is a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from singletable_apps.games.formats.parsed_questions import QuestionList, ReadSet, SetFormat
from singletable_apps.games.questions import OPTION_IDS, Question, QuestionType, make_options

_RIGHT = r"\*{1,2}|[✓✔✅☑]\ufe0f?|\[[xX✓✔]\]|\((?:x|X|✓|✔|correct|right)\)"
_WRONG = r"[✗✘❌☐]\ufe0f?|\[ ?\]|\( \)"
_BULLET = r"(?:(?:[-–](?=\s)|[•·‣◦])\s*)?"
# A minus sign or a decimal point belongs to a number, as in -5 and 3.5, and a star that touches a
# single letter to the letter, as in the grade A*.
_LEADING = re.compile(
    rf"{_BULLET}(?:(?P<before>{_RIGHT}|{_WRONG})\s*)?{_BULLET}"
    r"(?:(?P<label>\(?(?:[A-Ha-h]|\d{1,3})(?:\)|[.](?=\s)))\s*)?"
    rf"(?:(?P<inner>{_RIGHT}|{_WRONG})\s*)?(?:(?P<sign>[=>](?!=))\s*)?"
)
_TRAILING = re.compile(rf"(?:(?<=\w\w)\*{{1,2}}|(?<=\s)(?:{_RIGHT}|{_WRONG}))$")
_ANSWER = re.compile(
    r"(?:(?:correct )?answers?|correct|solution|richtige? antwort(?:en)?|lösung|richtig)\s*:\s*"
    r"(?P<letters>\(?[a-h]\)?(?:\s?[,;&]\s?\(?[a-h]\)?){0,7})\.?",
    re.IGNORECASE,
)
_SIGNS = {"=": QuestionType.TYPED, ">": QuestionType.ORDER}
_SLIDER = re.compile(
    r"\s*(?P<low>-?\d{1,10}) ?(?:to|–|…|\.\.) ?(?P<high>-?\d{1,10})(?: by (?P<step>\d{1,10}))?"
    r" ?[:=] ?(?P<target>-?\d{1,10})(?: ?(?:±|\+-|\+/-) ?(?P<tolerance>\d{1,10}))?\s*"
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with what is written around its text: `b)`, `=`, and marks."""

    row: int
    text: str
    label: str = ""
    sign: str = ""
    # A star before the text, which may be a bullet of a list.
    is_starred: bool = False
    is_marked: bool = False
    # Whether there is a mark for right or wrong other than a star before the text.
    has_box: bool = False
    slider: re.Match[str] | None = None
    # The letters of the correct options, if the line names them.
    solution: str = ""

    @property
    def letter(self) -> str:
        """Return the letter of `b)` or `(B)`, or nothing."""
        return "".join(filter(str.isalpha, self.label)).lower()

    @property
    def is_option(self) -> bool:
        """Return whether this is certainly no question: it has a letter, a sign or a mark."""
        is_marked = self.is_starred or self.has_box
        return bool(self.letter or self.sign or self.slider or self.solution or is_marked)


def _parse_line(row: int, line: str) -> _Line:
    line = line.strip()
    leading = _LEADING.match(line)
    # Every part is optional, so the expression always matches.
    assert leading is not None
    if slider := _SLIDER.fullmatch(line):
        return _Line(row, line, slider=slider)
    if answer := _ANSWER.fullmatch(line):
        letters = re.findall("[a-h]", answer["letters"].lower())
        return _Line(row, line, solution="".join(letters))
    before, label, inner, sign = (each or "" for each in leading.groups())
    rest = line[leading.end() :]
    trailing = _TRAILING.search(rest)
    after = trailing[0] if trailing else ""
    text = rest.removesuffix(after).rstrip()
    if not text:  # marks alone
        return _Line(row, line)
    stars = [each for each in (before, inner) if each.startswith("*")]
    boxes = [each for each in (before, inner, after) if each and each not in stars]
    is_marked = any(re.fullmatch(_RIGHT, each) for each in boxes)
    return _Line(row, text, label, sign, bool(stars), is_marked, bool(boxes))


def _split_blocks(text: str) -> list[list[_Line]]:
    """Return the lines of each question, which comes first."""
    lines = [_parse_line(row, line) for row, line in enumerate(text.splitlines(), 1)]
    filled = [each for each in lines if each.text]
    has_gaps = not all(map(str.strip, text.strip().splitlines()))
    has_letters = any(each.letter for each in filled)
    is_flat = not has_gaps and not any(each.is_option for each in filled)
    blocks = list[list[_Line]]([[]])
    for line in lines:
        # Among options with letters, a line without one is the next question.
        if is_flat or not line.text or (has_letters and not has_gaps and not line.is_option):
            blocks.append([])
        if line.text:
            blocks[-1].append(line)
    return [block for block in blocks if block]


def _option_texts(options: Sequence[_Line]) -> list[str]:
    """Return the texts without labels that count the options, which a star may replace.

    Other labels and signs belong to the text, as in `1. FC Köln` and `> 18`.
    """
    is_count = any(each.label for each in options) and all(
        each.label.strip("().").lower() in (OPTION_IDS[at], f"{at + 1}")
        or (each.is_starred and not each.label)
        for at, each in enumerate(options)
    )
    is_order = all(each.sign == ">" for each in options)
    texts = list[str]()
    for each in options:
        label = "" if is_count else each.label
        sign = "" if is_order or each.sign == "=" else each.sign
        texts.append(" ".join(filter(None, (label, sign, each.text))))
    return texts


def _correct(title: _Line, options: Sequence[_Line]) -> list[int]:
    """Return the places of the correct options."""
    stars, signs = [each.is_starred for each in options], [each.sign == "=" for each in options]
    has_bullets = title.is_starred or (all(stars) and any(each.has_box for each in options))
    return [
        at
        for at, each in enumerate(options)
        if each.is_marked or (stars[at] and not has_bullets) or (signs[at] and not all(signs))
    ]


def read_list(text: str, name: str, written: QuestionType) -> ReadSet:
    """Read a list. Questions without options have the type `written`."""
    found = QuestionList()
    for title, *lines in _split_blocks(text):
        options = [each for each in lines if not each.solution]
        if len(options) > len(OPTION_IDS):
            found.reject(title.row, "", f"Use at most {len(OPTION_IDS)} options.")
            continue
        if len(options) == 1 and (slider := options[0].slider):
            given: dict[str, Any] = {name: int(n) for name, n in slider.groupdict().items() if n}
            found.add(title.row, Question(QuestionType.SLIDER, title.text, **given))
            continue
        solution = "".join(each.solution for each in lines)
        marked = {OPTION_IDS[at] for at in _correct(title, options)}
        named = {each for each in solution if each in OPTION_IDS[: len(options)]}
        correct = tuple(each for each in OPTION_IDS if each in marked | named)
        kind = QuestionType.TRIVIA if correct else QuestionType.CHOICE if options else written
        signs = {each.sign for each in options}
        kind = _SIGNS.get(signs.pop(), kind) if len(signs) == 1 else kind
        made = make_options(_option_texts(options))
        if kind is QuestionType.TRIVIA and len(made) == 1:
            text = "Write the other options below the question, without an empty line between."
            found.reject(title.row, "options", text)
            continue
        found.add(title.row, Question(kind, title.text, options=made, correct=correct))
    return found.finish(SetFormat.CSV, name)
