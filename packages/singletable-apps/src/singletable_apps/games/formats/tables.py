"""Question sets in CSV and XLSX: our own columns, those of the original app, and Kahoot's template.

All are read by the same function. Columns are recognized by their headings in any order, and the
headings may be below rows with a title, as in Kahoot's template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats.parsed_questions import (
    OptionName,
    QuestionList,
    ReadSet,
    SetFormat,
    correct_letters,
    resolve_correct,
)
from singletable_apps.games.kinds import as_written
from singletable_apps.games.questions import (
    DEFAULT_INSTRUCTION,
    OPTION_IDS,
    Option,
    Question,
    QuestionType,
    Scale,
    SetDraft,
)
from singletable_apps.shared.spreadsheets import (
    Cell,
    Format,
    SpreadsheetError,
    TableLimits,
    read_table,
    write_table,
)

_LIMITS = TableLimits(rows=5_000, columns=60, file_bytes=5_000_000, unpacked_bytes=50_000_000)
_SLOTS = len(OPTION_IDS)
# The headings of each field, without spaces and punctuation; the first is the one we write.
_HEADINGS: Mapping[str, str] = {
    "type": "type questiontype",
    "category": "category round",
    "title": "question title questiontext prompt",
    "detail": "detail detaillesson lesson description",
    **{
        f"options/{place}": f"a{place + 1} option{letter} answer{place + 1} option{place + 1} "
        f"answer{letter} choice{place + 1}"
        for place, letter in enumerate(OPTION_IDS)
    },
    "correct": "correct correctanswer correctanswers",
    "seconds": "time timelimit seconds timelimitsec",
    "points": "points",
    "explanation": "explanation",
    "image": "image",
    "tags": "tags",
    "scale": "scale",
    "selections": "selections",
    "instruction": "instruction custominstruction custominstructions",
    "school": "school",
    "low_label": "low lowlabel",
    "high_label": "high highlabel",
    "longest": "longest maxlength",
    "low": "from min",
    "high": "to max",
    "step": "step",
    "target": "target value",
    "tolerance": "tolerance",
}
# Numbers and what they are if their column is blank.
_NUMBERS: Mapping[str, int | None] = {
    "seconds": None,
    "points": None,
    "selections": 1,
    "longest": 280,
    "low": 0,
    "high": 100,
    "step": 1,
    "target": None,
    "tolerance": 0,
}
_FIELDS = {heading: field for field, known in _HEADINGS.items() for heading in known.split()}
_IGNORED = frozenset({"question#", "number", "no", "#", "nr", ""})
_TYPES: Mapping[str, QuestionType] = {
    **{each.value.replace("-", ""): each for each in QuestionType},
    "quiz": QuestionType.TRIVIA,
    "multiplechoice": QuestionType.TRIVIA,
    "poll": QuestionType.CHOICE,
    "lesson": QuestionType.CALL_AND_ANSWER,
    "scale": QuestionType.RATING,
    "ranking": QuestionType.RANK,
    "opentext": QuestionType.TEXT,
    "ordering": QuestionType.ORDER,
    "shortanswer": QuestionType.TYPED,
}
_SCALES: Mapping[str, Scale] = {each.value.replace("-", ""): each for each in Scale}
_TEXTS = (
    *("title", "detail", "category", "school", "instruction"),
    *("explanation", "image", "low_label", "high_label"),
)
# The columns we write, by field.
OWN_COLUMNS: Mapping[str, str] = {field: known.split()[0] for field, known in _HEADINGS.items()}
_Choice = TypeVar("_Choice", QuestionType, Scale)
_OPTION_IMAGE = re.compile(r"(?:^|(?<!\s)\s++)(/games/images/\S+)$")
_KAHOOT_COLUMNS = (
    *("", "Question - max 120 characters"),
    *(f"Answer {number} - max 75 characters" for number in range(1, 5)),
    "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs",
    "Correct answer(s) - choose at least one",
)
_KAHOOT_SECONDS = (5, 10, 20, 30, 60, 90, 120, 240)


def _fold_heading(heading: str) -> str:
    """Return a heading in lower case without punctuation, and without Kahoot's explanations."""
    short = re.split(r"\s[-–—]\s", re.sub(r"\([^()]*\)", " ", heading))[0]
    return re.sub(r"[^\w#]|_", "", short.casefold())


def is_heading(values: Sequence[str]) -> bool:
    """Return whether a row has the headings of a table of questions."""
    names = [_FIELDS.get(_fold_heading(value), "") for value in values]
    return "title" in names and len(set(names) - {""}) > 1


# ------------------------------------------------------------------------------ read


def read_questions(data: bytes, name: str) -> ReadSet:
    """Read a CSV or XLSX file of questions, or raise InvalidInput."""
    try:
        table = read_table(data, limits=_LIMITS, is_heading=is_heading)
    except SpreadsheetError as error:
        text = str(error)
        if error.row is None and text.startswith("No row"):
            text = _explain_headings(data)
        raise InvalidInput({"file": text}) from error
    headings = [_fold_heading(each) for each in table.columns]
    columns: dict[str, int] = {}
    found = QuestionList()
    for place, heading in enumerate(headings):
        field = _FIELDS.get(heading, "")
        if field and field not in columns:
            columns[field] = place
        elif heading not in _IGNORED:
            known = ", ".join(OWN_COLUMNS.values())
            text = f"This column was left out. Known columns: {known}."
            found.reject(table.heading_row, table.columns[place], text)
    format_, first, is_lessons = _recognize(headings, is_book=data.startswith(b"PK"))

    def column(field: str) -> str:
        field = "options/0" if field == "options" else field
        return table.columns[columns[field]] if field in columns else OWN_COLUMNS[field]

    for row in table.rows:
        values = {field: row.values[place] for field, place in columns.items()}
        if any(values.values()):
            _read_row(found, row.number, values, first, column)
    read = found.finish(format_, name)
    if is_lessons:
        # The original app asks this about every lesson.
        return replace(read, draft=replace(read.draft, instruction=DEFAULT_INSTRUCTION))
    return read


def _explain_headings(data: bytes) -> str:
    try:
        seen = [each for each in read_table(data, limits=_LIMITS).columns if each][:12]
    except SpreadsheetError as error:
        return str(error)
    listed = ", ".join(f"“{each[:40]}”" for each in seen)
    return (
        f"No row has the headings of a question table. The first row has {listed}. Name the "
        "columns “question”, “a1”, “a2”, “correct” and so on, as in the template."
    )


def _recognize(headings: Sequence[str], *, is_book: bool) -> tuple[SetFormat, OptionName, bool]:
    """Return the format, what a correct answer is compared with first, and whether it is lessons.

    The original app has a table of lessons, and one of trivia with the columns OptionA, OptionB …
    """
    if "answer1" in headings and "timelimit" in headings:
        return SetFormat.KAHOOT, "number", False
    is_original = not {"optiona", "detaillesson"}.isdisjoint(headings)
    is_lessons = "detaillesson" in headings and not {"type", "questiontype"} & {*headings}
    own = SetFormat.XLSX if is_book else SetFormat.CSV
    return own, "text" if is_original else "letter", is_lessons


def _read_row(
    found: QuestionList,
    row: int,
    values: Mapping[str, str],
    first: OptionName,
    column: Callable[[str], str],
) -> None:
    """Add the question of a row, or all its problems."""
    problems: dict[str, str] = {}
    places = [place for place in range(_SLOTS) if values.get(f"options/{place}")]
    slots: list[Option | None] = [None] * _SLOTS
    for letter, place in zip(OPTION_IDS, places, strict=False):
        text = values[f"options/{place}"]
        image = _OPTION_IMAGE.search(text)
        slots[place] = (
            Option(letter, text[: image.start()], image[1]) if image else Option(letter, text)
        )
    correct, unknown = resolve_correct(values.get("correct", ""), slots, first)
    if unknown:
        hint = "Use the letter, number or text of an option, and commas between several."
        problems["correct"] = f"“{unknown[:60]}” is not an option. {hint}"

    def number(field: str) -> int | None:
        text = re.sub(r"[,\s]|(s|sec|secs|seconds|points)\.?$", "", values.get(field, "").lower())
        if text and not re.fullmatch(r"-?\d{1,10}", text, re.ASCII):
            problems[field], text = "Enter a whole number, such as 30.", ""
        return int(text) if text else _NUMBERS[field]

    def choice(field: str, known: Mapping[str, _Choice], default: _Choice) -> _Choice:
        text = re.sub(r"[\s_-]", "", values.get(field, "").casefold())
        if text and text not in known:
            problems[field] = f"Use one of: {', '.join(dict.fromkeys(known.values()))}."
        return known.get(text, default)

    fields: dict[str, Any] = {
        **{field: values.get(field, "") for field in _TEXTS},
        **{field: number(field) for field in _NUMBERS},
    }
    question = Question(
        choice("type", _TYPES, _guess_type(values, has_options=bool(places))),
        tags=tuple(each for each in re.split(r"[,;]", values.get("tags", "")) if each.strip()),
        options=tuple(each for each in slots if each is not None),
        correct=correct,
        scale=choice("scale", _SCALES, Scale.FIVE),
        **fields,
    )

    def place_of(field: str) -> str:
        if field.startswith("options/"):
            field = f"options/{places[int(field.split('/')[1])]}"
        return column(field)

    found.add(row, question, place_of, problems)


def _guess_type(values: Mapping[str, str], *, has_options: bool) -> QuestionType:
    if values.get("target"):
        return QuestionType.SLIDER
    # A table with a column of correct answers is a quiz, also in a row where it is blank.
    if values.get("correct") or (has_options and "correct" in values):
        return QuestionType.TRIVIA
    if has_options:
        return QuestionType.CHOICE
    return QuestionType.RATING if values.get("scale") else QuestionType.CALL_AND_ANSWER


# ------------------------------------------------------------------------------ write


def write_own(draft: SetDraft, kind: Format) -> bytes:
    """Return a CSV or XLSX file with our own columns."""
    rows: list[list[Cell]] = []
    for question in map(as_written, draft.questions):
        options = [f"{each.text} {each.image}".strip() for each in question.options]
        values: dict[str, Cell] = {
            **{f"options/{place}": text for place, text in enumerate(options)},
            **{field: getattr(question, field) for field in _TEXTS},
            **{field: getattr(question, field) for field in _NUMBERS},
            "type": question.type.value,
            "correct": correct_letters(question),
            "tags": ", ".join(question.tags),
            "scale": question.scale.value if question.type is QuestionType.RATING else "",
        }
        values |= {field: None for field, usual in _NUMBERS.items() if values[field] == usual}
        rows.append([values.get(field) for field in OWN_COLUMNS])
    return b"".join(write_table(list(OWN_COLUMNS.values()), rows, kind))


def write_kahoot(draft: SetDraft) -> bytes:
    """Return an XLSX file in the layout of Kahoot's template: the headings are in row 8."""
    rows: list[list[Cell]] = [
        ["", draft.name],
        ["", "Add questions, at least two answer alternatives, time limit and correct answers."],
        *([[]] * 4),
        list(_KAHOOT_COLUMNS),
    ]
    for number, each in enumerate(draft.questions, 1):
        wanted = 20 if each.seconds is None else each.seconds or 240
        seconds = next((known for known in _KAHOOT_SECONDS if known >= wanted), 240)
        places = [OPTION_IDS.index(letter) + 1 for letter in correct_letters(each).split(",")]
        correct = ",".join(map(str, places))
        texts = [*(option.text for option in each.options), "", "", ""][:4]
        rows.append([number, each.title, *texts, seconds, correct])
    return b"".join(write_table([""], rows, "xlsx"))


def fits_kahoot(question: Question) -> bool:
    """Return whether a question respects the limits of Kahoot's template."""
    has_texts = 1 < len(question.options) <= 4 and all(each.text for each in question.options)
    is_short = len(question.title) <= 120 and all(len(each.text) <= 75 for each in question.options)
    return question.type is QuestionType.TRIVIA and has_texts and is_short
