"""Files of question sets: read any format by its content, and write any.

    read = read_set(data, "quiz.xlsx")          # or raise InvalidInput
    read.draft, read.errors, read.format
    write_set(read.draft, SetFormat.GIFT)

A file with errors still returns its valid questions, so that a preview can show both.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass, replace

from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats import moodle, tables
from singletable_apps.games.formats.document import json_schema, read_json, write_json
from singletable_apps.games.formats.results import FileProblem, ReadSet, SetFormat, name_of_file
from singletable_apps.games.questions import Question, QuestionType, SetDraft
from singletable_apps.shared.spreadsheets import MEDIA_TYPES, SpreadsheetError, decode_text

__all__ = [
    "FORMATS",
    "MAX_FILE_BYTES",
    "FileProblem",
    "FormatInfo",
    "ReadSet",
    "SetFormat",
    "json_schema",
    "read_set",
    "write_set",
]

MAX_FILE_BYTES = 5_000_000


@dataclass(frozen=True, slots=True)
class FormatInfo:
    """What a format is called, what it can contain, and how it is written."""

    title: str
    extension: str
    media_type: str
    write: Callable[[SetDraft], bytes]
    fits: Callable[[Question], bool] = lambda question: True


_CSV, _XLSX, _TEXT = MEDIA_TYPES["csv"], MEDIA_TYPES["xlsx"], "text/plain; charset=utf-8"
FORMATS: dict[SetFormat, FormatInfo] = {
    SetFormat.JSON: FormatInfo("JSON, with everything", "json", "application/json", write_json),
    SetFormat.XLSX: FormatInfo(
        "Excel", "xlsx", _XLSX, lambda each: tables.write_own(each.questions, "xlsx")
    ),
    SetFormat.CSV: FormatInfo(
        "CSV", "csv", _CSV, lambda each: tables.write_own(each.questions, "csv")
    ),
    SetFormat.LESSONS: FormatInfo(
        "CSV, call-and-answer only",
        *("csv", _CSV),
        lambda each: tables.write_lessons(each.questions),
        lambda each: each.type is QuestionType.CALL_AND_ANSWER,
    ),
    SetFormat.TRIVIA: FormatInfo(
        "CSV, trivia only",
        *("csv", _CSV),
        lambda each: tables.write_trivia(each.questions),
        tables.fits_trivia,
    ),
    SetFormat.KAHOOT: FormatInfo(
        "Kahoot template", "xlsx", _XLSX, tables.write_kahoot, tables.fits_kahoot
    ),
    SetFormat.GIFT: FormatInfo(
        "Moodle GIFT", "gift.txt", _TEXT, moodle.write_gift, moodle.fits_gift
    ),
    SetFormat.AIKEN: FormatInfo("Aiken", "aiken.txt", _TEXT, moodle.write_aiken, moodle.fits_aiken),
}


def write_set(draft: SetDraft, format: SetFormat) -> bytes:  # noqa: A002
    """Return a file with the questions that fit the format; see `FormatInfo.fits`."""
    info = FORMATS[format]
    fitting = tuple(each for each in draft.questions if info.fits(each))
    return info.write(replace(draft, questions=fitting))


def read_set(data: bytes, filename: str) -> ReadSet:
    """Read a file of questions; its content decides the format, its name is the set's name.

    Raise InvalidInput with the field `file` if nothing can be read.
    """
    if len(data) > MAX_FILE_BYTES:
        raise InvalidInput({"file": f"Use a file of at most {MAX_FILE_BYTES // 1_000_000} MB."})
    if not data.strip():
        raise InvalidInput({"file": "Choose a file. This one is empty."})
    name = name_of_file(filename)
    if data.startswith((b"PK", b"\xd0\xcf\x11\xe0", b"%PDF")):
        return tables.read_questions(data, name)
    try:
        text = decode_text(data)
    except SpreadsheetError as error:
        raise InvalidInput({"file": str(error)}) from error
    if text.lstrip()[:1] in ("{", "["):
        return read_json(text, name)
    if not _has_headings(text):
        if moodle.is_aiken(text):
            return moodle.read_aiken(text, name)
        if moodle.is_gift(text):
            return moodle.read_gift(text, name)
    return tables.read_questions(data, name)


def _has_headings(text: str) -> bool:
    """Return whether one of the first lines has the headings of a table of questions."""
    lines = text[:20_000].splitlines()[:20]
    for delimiter in ",;\t":
        for line in lines:
            try:
                if any(map(tables.is_heading, csv.reader([line], delimiter=delimiter))):
                    return True
            except csv.Error:
                continue
    return False
