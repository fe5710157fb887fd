"""Files of question sets: read any format by its content, and write any.

    read = read_set(data, "quiz.xlsx")          # or raise InvalidInput
    read.draft, read.errors, read.format
    write_set(read.draft, SetFormat.GIFT)

A file with errors still returns its valid questions, so that a preview can show both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats import gift, lists, tables
from singletable_apps.games.formats.document import json_schema, read_json, write_json
from singletable_apps.games.formats.parsed_questions import (
    FileProblem,
    ReadSet,
    SetFormat,
    name_of_file,
)
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
    """What a format is called, how it is written, and which questions it can contain."""

    title: str
    extension: str
    write: Callable[[SetDraft], bytes]
    fits: Callable[[Question], bool] = lambda question: True

    @property
    def media_type(self) -> str:
        """Return the media type of files, without a charset."""
        return _MEDIA_TYPES[self.extension.rpartition(".")[2]]


_MEDIA_TYPES = {
    "json": "application/json",
    "csv": "text/csv",
    "txt": "text/plain",
    "xlsx": MEDIA_TYPES["xlsx"],
}
FORMATS: dict[SetFormat, FormatInfo] = {
    SetFormat.JSON: FormatInfo("JSON, with everything", "json", write_json),
    SetFormat.XLSX: FormatInfo("Excel", "xlsx", lambda draft: tables.write_own(draft, "xlsx")),
    SetFormat.CSV: FormatInfo("CSV", "csv", lambda draft: tables.write_own(draft, "csv")),
    SetFormat.KAHOOT: FormatInfo(
        "Kahoot template", "xlsx", tables.write_kahoot, tables.fits_kahoot
    ),
    SetFormat.GIFT: FormatInfo("Moodle GIFT", "gift.txt", gift.write_gift, gift.fits_gift),
}


def write_set(draft: SetDraft, format: SetFormat) -> bytes:  # noqa: A002
    """Return a file with the questions that fit the format; see `FormatInfo.fits`."""
    info = FORMATS[format]
    fitting = tuple(each for each in draft.questions if info.fits(each))
    return info.write(replace(draft, questions=fitting))


def read_set(data: bytes, filename: str, written: QuestionType | None = None) -> ReadSet:
    """Read a file of questions; its content decides the format, its name is the set's name.

    With `written`, the type of questions without options, any other text is a list.

    Raise InvalidInput with the field `file` if nothing can be read.
    """
    if len(data) > MAX_FILE_BYTES:
        raise InvalidInput({"file": f"Use a file of at most {MAX_FILE_BYTES // 1_000_000} MB."})
    if not data.strip():
        raise InvalidInput({"file": "Choose a file. This one is empty."})
    name = name_of_file(filename)
    if data.startswith((b"PK", b"\xd0\xcf\x11\xe0", b"%PDF")):
        return tables.read_questions(data, name)
    if filename.lower().endswith(".xlsx"):
        text = "This is not an Excel file, although its name ends with .xlsx. Save it as one again."
        raise InvalidInput({"file": text})
    try:
        text = decode_text(data)
    except SpreadsheetError as error:
        raise InvalidInput({"file": str(error)}) from error
    if text.lstrip()[:1] in ("{", "["):
        return read_json(text, name)
    if not _has_headings(text):
        if gift.is_gift(text):
            return gift.read_gift(text, name)
        if written is not None:
            return lists.read_list(text, name, written)
    return tables.read_questions(data, name)


def _has_headings(text: str) -> bool:
    """Return whether one of the first lines has the headings of a table of questions."""
    lines = text[:20_000].splitlines()[:20]
    return any(tables.is_heading(re.split(r"[,;\t]", line)) for line in lines)
