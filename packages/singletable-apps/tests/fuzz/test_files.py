"""Files that people upload or keep: readers return their content or raise their own error."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import singletable_apps
from singletable_apps.elections.proofs import checker
from singletable_apps.elections.proofs.verification import verify_receipt
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.formats import FORMATS, read_set, write_set
from singletable_apps.games.set_library import load_templates
from singletable_apps.shared.archives import ArchiveError, read_zip, write_zip
from singletable_apps.shared.front_matter import InvalidFrontMatter, read_front_matter
from singletable_apps.shared.spreadsheets import Cell, SpreadsheetError, read_table, write_table
from tests.apps.elections.proofs.factories import make_sample
from tools.testing.fuzz.call_budget import limit_calls
from tools.testing.fuzz.damaged_files import ValidFiles, damaged

POSTS = Path(singletable_apps.__path__[0]) / "portfolio" / "sample" / "posts"


@dataclass(frozen=True)
class Reader:
    """A function that reads files, valid ones, and the only error it may raise."""

    name: str
    read: Callable[[bytes], object]
    error: type[Exception]
    files: list[bytes]

    def __repr__(self) -> str:
        return self.name


def _spreadsheets() -> list[bytes]:
    rows: list[list[Cell]] = [["Ann", "=1+1", 3], ["Bo", "é\n", 0.5]]
    return [
        b"".join(write_table(["Name", "Note", "Level"], rows, kind)) for kind in ("csv", "xlsx")
    ]


def _archive() -> bytes:
    target = BytesIO()
    write_zip([(path.name, path.read_bytes()) for path in sorted(POSTS.iterdir())[:3]], target)
    return target.getvalue()


def _read_posts(data: bytes) -> None:
    for content in read_zip(data).values():
        try:
            read_front_matter(content.decode("utf-8", "replace"))
        except InvalidFrontMatter as error:
            raise ArchiveError(str(error)) from error


def _json(document: object) -> bytes:
    return json.dumps(document).encode()


READERS = [
    Reader("spreadsheet", read_table, SpreadsheetError, _spreadsheets()),
    Reader(
        "question set",
        lambda data: read_set(data, "quiz.txt"),
        InvalidInput,
        [write_set(load_templates()["trivia-night"], kind) for kind in FORMATS],
    ),
    Reader("archive of posts", _read_posts, ArchiveError, [_archive()]),
]


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@given(data=st.data())
def test_damaged_file_is_read_or_rejected(reader: Reader, data: st.DataObject) -> None:
    file = data.draw(damaged(ValidFiles(reader.files)))
    with suppress(reader.error), limit_calls(len(file)):
        reader.read(file)


SAMPLE = make_sample("confirmations")
RECEIPTS = [SAMPLE.receipt, SAMPLE.open_receipt, make_sample("anonymous").receipt]
PUBLICATIONS = [SAMPLE.published, make_sample("anonymous").published]


@given(text=damaged(ValidFiles([_json(each) for each in [*RECEIPTS, *PUBLICATIONS]])))
def test_damaged_receipt_proves_nothing_new(
    tmp_path_factory: pytest.TempPathFactory, text: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "document.json"
    path.write_bytes(text)
    try:
        findings = list(checker.check(str(path), None, None))
    except (ValueError, RecursionError):
        return  # the command prints it as its result
    document = json.loads(text.decode("utf-8-sig"))
    passed = all(finding.ok for finding in findings)
    if "confirmations" not in document:
        assert passed == all(finding.ok for finding in verify_receipt(document))
    # With our signature, only the documents we made pass.
    known = document in [*RECEIPTS, *PUBLICATIONS]
    signed = document.get("closing") is not None
    assert known or not (passed and signed and document["closing"] == SAMPLE.closing)
