"""What reading a file of questions returns, and the checks that all formats share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePath
from typing import NamedTuple

from singletable_apps.games.questions import (
    MAX_QUESTIONS,
    OPINIONS,
    OPTION_IDS,
    EngagementType,
    Option,
    Question,
    QuestionType,
    SetDraft,
    check_question,
)
from singletable_apps.shared.text import normalize_line


class SetFormat(StrEnum):
    """A file format of question sets."""

    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    LESSONS = "lessons"
    TRIVIA = "trivia"
    KAHOOT = "kahoot"
    GIFT = "gift"
    AIKEN = "aiken"


class FileProblem(NamedTuple):
    """A place in a file that is not valid: its row or line, its column, and what to do."""

    row: int
    column: str
    text: str


@dataclass(frozen=True, slots=True)
class ReadSet:
    """The valid questions of a file, with the row of each, and the problems of the others."""

    draft: SetDraft
    errors: tuple[FileProblem, ...]
    format: SetFormat
    rows: tuple[int, ...]


class QuestionList:
    """Collects the questions of a file and the problems in it."""

    def __init__(self) -> None:
        self.questions: list[Question] = []
        self.rows: list[int] = []
        self.errors: list[FileProblem] = []
        self._is_full = False

    def add(
        self,
        row: int,
        question: Question,
        column: Callable[[str], str] = lambda field: field,
        problems: Mapping[str, str] | None = None,
    ) -> None:
        """Add a question if it is valid and has no problems; both are sentences by field.

        `column` returns where in the file a field is.
        """
        checked, errors = check_question(question)
        errors.update(problems or {})
        for field, text in errors.items():
            self.reject(row, column(field), text)
        # A question without its image is still worth asking.
        if errors.keys() == {"image"}:
            checked, errors = replace(checked, image=""), {}
        if errors:
            return
        if len(self.questions) == MAX_QUESTIONS:
            if not self._is_full:
                self.reject(
                    row, "", f"A set has at most {MAX_QUESTIONS} questions. Split the file."
                )
            self._is_full = True
            return
        self.questions.append(checked)
        self.rows.append(row)

    def reject(self, row: int, column: str, text: str) -> None:
        """Add a problem."""
        self.errors.append(FileProblem(row, column, text))

    def finish(self, format: SetFormat, name: str, draft: SetDraft | None = None) -> ReadSet:  # noqa: A002
        """Return what was read, as a set with this name unless the file had its own draft."""
        questions = tuple(self.questions)
        draft = draft or SetDraft(name, type=guess_type(questions))
        return ReadSet(
            replace(draft, questions=questions),
            tuple(self.errors),
            format,
            tuple(self.rows),
        )


def guess_type(questions: Sequence[Question]) -> EngagementType:
    """Return the narrowest type of a set with these questions."""
    types = {question.type for question in questions}
    if types == {QuestionType.TRIVIA}:
        return EngagementType.TRIVIA
    if types == {QuestionType.CALL_AND_ANSWER}:
        return EngagementType.CALL_AND_ANSWER
    return EngagementType.POLL if types and types <= OPINIONS else EngagementType.MIXED


def correct_letters(question: Question) -> str:
    """Return the letters of the correct options, such as `a,c`, by their places."""
    return ",".join(
        letter
        for letter, option in zip(OPTION_IDS, question.options, strict=False)
        if option.id in question.correct
    )


def name_of_file(filename: str) -> str:
    """Return the name of a set for a file name: `team_trivia.csv` is “team trivia”."""
    stem = PurePath(filename.replace("\\", "/")).name.rpartition(".")
    return normalize_line(re.sub(r"[_-]+", " ", stem[0] or stem[2]))[:100] or "Imported questions"


# In which order a correct answer is compared. `2` in Kahoot's files is the second answer, in the
# others it may be the text of an option.
LETTER_FIRST = ("letter", "text", "number")
TEXT_FIRST = ("text", "letter", "number")
NUMBER_FIRST = ("number", "letter", "text")


def resolve_correct(
    value: str, slots: Sequence[Option | None], order: Sequence[str] = LETTER_FIRST
) -> tuple[tuple[str, ...], str]:
    """Return the ids of the correct options, and the part of the value that is none of them.

    `slots` are the options by their columns, with None for a blank one, so that letters and numbers
    count columns. Several answers are separated by commas, semicolons or bars.
    """
    found: set[str] = set()
    whole = _find_option(value, slots, order)
    parts = [value] if whole else re.split(r"[,;|\n]", value)
    # In many countries, a spreadsheet reads 1,2 as a number.
    if order[0] == "number" and re.fullmatch(r"[1-8](\W+[1-8])+", value.strip(), re.ASCII):
        parts = re.findall(r"\d", value)
    for part in parts:
        if not part.strip():
            continue
        option = _find_option(part, slots, order)
        if option is None:
            return (), part.strip()
        found.add(option.id)
    return tuple(each.id for each in slots if each and each.id in found), ""


def _find_option(value: str, slots: Sequence[Option | None], order: Sequence[str]) -> Option | None:
    folded = normalize_line(value).casefold()
    by_kind: dict[str, dict[str, Option]] = {"letter": {}, "text": {}, "number": {}}
    for place, option in enumerate(slots):
        if option is not None:
            by_kind["letter"][OPTION_IDS[place]] = option
            by_kind["number"][str(place + 1)] = option
            by_kind["text"].setdefault(normalize_line(option.text).casefold(), option)
    names = {"letter": re.sub(r"^(option|answer)\s*(?=[a-h]$)", "", folded)}
    matches = (by_kind[kind].get(names.get(kind, folded)) for kind in order)
    return next((each for each in matches if each is not None), None)
