"""Odd characters in every text of an app's tables, and in every text that people send."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from io import BytesIO, StringIO
from typing import Any
from zipfile import ZipFile

import httpx2
from openpyxl import load_workbook

from dynamodb_engine.operations import ListTables, PutItem, Scan
from dynamodb_engine.values import Item
from ranked_ballots.formats import FORMATS as BALLOT_FORMATS
from singletable import Driver

FORMATS = ("xlsx", "json", *BALLOT_FORMATS)
NONCHARACTER = "\ufffe"
# A lone accent, formulas, controls, line separators, bidi controls, noncharacters, quotes.
ODD = "\u0301=1;=2\0\x1b\x7f\x85\r\n\t\u200b\u2028\u202e\u2066\ufeff\ufdd0\ufffe\uffff\U0010ffff\"'"
# Attributes with text that people enter, in the tables of all apps.
_TEXTS = frozenset(
    ("name", "title", "description", "about", "notes", "skillname", "department", "location")
) | {"filename", "candidates", "rankings", "text", "markdown", "team", "explanation", "detail"}


def noncharacters_in(driver: Driver) -> list[str]:
    """Return the items with the noncharacter of `odd_bodies`."""
    items = (json.dumps(item, ensure_ascii=False) for _, item in _items(driver))
    return [item for item in items if NONCHARACTER in item]


def _items(driver: Driver) -> Iterator[tuple[str, Item]]:
    for table in driver.execute(ListTables()).table_names:
        for item in driver.execute(Scan(table)).items or ():
            yield table, item


def store_odd_text(driver: Driver) -> None:
    """Add odd characters to all texts, as data from before a rule or another program may have."""
    for table, item in list(_items(driver)):
        # The keys of the item are made of these.
        keys = " ".join(str(item[name]) for name in item if name.endswith(("PK", "SK")))
        key = re.sub(r"\$([0-9A-F]{2})", lambda code: chr(int(code[1], 16)), keys).lower()
        driver.execute(PutItem(table, {name: _odd(name, item[name], key) for name in item}))


def _odd(name: str, value: Any, key: str) -> Any:
    match value:
        case {"S": text} if name.lower() in _TEXTS and not (text and text.lower() in key):
            return {"S": f"{ODD}{text}{ODD}"}
        case {"L": members}:
            return {"L": [_odd(name, each, key) for each in members]}
        case {"M": members}:
            return {"M": {each: _odd(each, members[each], key) for each in members}}
        case _:
            return value


def odd_bodies(body: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each field of a body, and the body with a noncharacter in its texts or its file."""
    for field, value in body.items():
        odd = _with_noncharacter(value)
        if odd != value:
            yield field, {**body, field: odd}


def _with_noncharacter(value: Any) -> Any:
    match value:
        case str():
            return f"{value}{NONCHARACTER}"
        case bytes():
            return value.rstrip() + NONCHARACTER.encode()
        case list() | tuple():
            return type(value)(map(_with_noncharacter, value))
        case dict():
            return {name: _with_noncharacter(each) for name, each in value.items()}
        case _:
            return value


def is_valid_file(answer: httpx2.Response) -> bool:
    """Return whether the answer is a file, and fail if this is not valid."""
    disposition = answer.headers.get("content-disposition", "")
    if answer.status_code != 200 or not disposition.startswith("attachment"):
        return False
    ending, content = disposition.rpartition(".")[2].strip('"'), answer.content
    if ending == "xlsx":
        assert load_workbook(BytesIO(content), read_only=True).active is not None
    elif ending == "zip":
        assert ZipFile(BytesIO(content)).testzip() is None
    elif ending == "json":
        json.loads(content)
    else:
        text = content.decode("utf-8-sig")
        if ending == "csv":
            assert list(csv.reader(StringIO(text, newline=""), strict=True))
    return True
