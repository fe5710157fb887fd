"""What reading a file of questions returns, and the checks that all formats share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePath
from typing import Literal, TypeAlias

from singletable_apps.games.kinds import ALLOWED, check_question
from singletable_apps.games.questions import (
    MAX_QUESTIONS,
    OPTION_IDS,
    EngagementType,
    Option,
    Question,
    SetDraft,
)
from singletable_apps.shared.text import normalize_line


class SetFormat(StrEnum):
    """A file format of question sets."""

    JSON = "json"
    CSV = "csv"
    XLSX = "xlsx"
    KAHOOT = "kahoot"
    GIFT = "gift"


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A place in a file that is not valid: its row or line, its column, and what to do."""

    row: int
    column: str
    text: str


@dataclass(frozen=True, slots=True)
class ReadSet:
    """The valid questions of a file, and the problems of the others."""

    draft: SetDraft
    errors: tuple[FileProblem, ...]
    format: SetFormat


# More problems than this are of the whole file.
_MAX_PROBLEMS = 1_000


class QuestionList:
    """Collects the questions of a file, by row, and the problems in it."""

    def __init__(self) -> None:
        self.questions: dict[int, Question] = {}
        self.errors: list[FileProblem] = []

    def add(
        self,
        row: int,
        question: Question,
        column: Callable[[str], str] = lambda field: field,
        problems: Mapping[str, str] | None = None,
    ) -> None:
        """Add a question, or what is wrong with it. `problems` are sentences by field.

        `column` returns where in the file a field is.
        """
        checked, errors = check_question(question)
        errors.update(problems or {})
        for field, text in errors.items():
            self.reject(row, column(field), text)
        # A question without its image is still worth asking.
        if errors.keys() <= {"image"}:
            self.questions[row] = replace(checked, image="") if errors else checked

    def reject(self, row: int, column: str, text: str) -> None:
        """Add a problem."""
        self.errors.append(FileProblem(row, column, text))

    @property
    def is_full(self) -> bool:
        """Return whether the rest of the file need not be read: it has too much of something."""
        return len(self.questions) > MAX_QUESTIONS or len(self.errors) >= _MAX_PROBLEMS

    def finish(self, format: SetFormat, name: str, draft: SetDraft | None = None) -> ReadSet:  # noqa: A002
        """Return the questions as a set with this name, or in the draft of the file."""
        for row in list(self.questions)[MAX_QUESTIONS : MAX_QUESTIONS + 1]:
            self.reject(row, "", f"A set has at most {MAX_QUESTIONS} questions. Split the file.")
        questions = tuple(self.questions.values())[:MAX_QUESTIONS]
        draft = draft or SetDraft(name, type=guess_type(questions))
        return ReadSet(replace(draft, questions=questions), tuple(self.errors), format)


def guess_type(questions: Iterable[Question]) -> EngagementType:
    """Return the narrowest type of a set with these questions."""
    types = {question.type for question in questions}
    narrow = (EngagementType.TRIVIA, EngagementType.CALL_AND_ANSWER, EngagementType.POLL)
    fitting = [each for each in narrow if types and types <= ALLOWED[each]]
    return fitting[0] if fitting else EngagementType.MIXED


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


# What an option can be called in a file.
OptionName: TypeAlias = Literal["letter", "text", "number"]


def resolve_correct(
    value: str, slots: Sequence[Option | None], first: OptionName
) -> tuple[tuple[str, ...], str]:
    """Return the ids of the correct options, and the part of the value that matches no option.

    Options are named by letter, text or number. `first` decides if a name could be several: `2` is
    the second answer in Kahoot's files, and may be the text of an option in others. `slots` are the
    options by column, with None for a blank one. Several answers are separated by commas,
    semicolons or bars.
    """
    letters: dict[str, str] = {}
    texts: dict[str, str] = {}
    numbers: dict[str, str] = {}
    for place, option in enumerate(slots):
        if option is not None:
            for prefix in ("", "option", "option ", "answer", "answer "):
                letters[f"{prefix}{OPTION_IDS[place]}"] = option.id
            texts.setdefault(normalize_line(option.text).casefold(), option.id)
            numbers[f"{place + 1}"] = option.id
    known = {**numbers, **texts, **letters}
    known.update({"letter": letters, "text": texts, "number": numbers}[first])
    parts = [value] if normalize_line(value).casefold() in known else re.split(r"[,;|\n]", value)
    # In many countries, a spreadsheet reads 1,2 as a number.
    if first == "number" and re.fullmatch(r"[1-8](\W+[1-8])+", value.strip(), re.ASCII):
        parts = re.findall(r"\d", value)
    named = [part for part in parts if part.strip()]
    ids = [known.get(normalize_line(part).casefold()) for part in named]
    if None in ids:
        return (), named[ids.index(None)].strip()
    return tuple(each.id for each in slots if each and each.id in ids), ""
