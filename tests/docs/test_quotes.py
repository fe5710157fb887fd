"""Code quoted on a page matches its source file."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from tools.testing.cases import every
from tools.testing.markdown import blocks
from tools.testing.sources import DOCUMENTS, name_of

# A `py` block is not executed and may be an excerpt; the file name follows the language. A line
# with only "…" leaves something out.
QUOTING = [path for path in DOCUMENTS if any(block.source for block in blocks(path))]
LEFT_OUT = "…"


@pytest.mark.parametrize("path", QUOTING, ids=name_of)
def test_quoted_code_matches_its_source(path: Path) -> None:
    for block in blocks(path):
        if block.source:
            text = (path.parent / block.source).read_text()
            wrong = missing_piece(block.text, text)
            where = f"{name_of(path)}, line {block.line}"
            assert wrong is None, f"{where}: {block.source} has not, or not there:\n{wrong}"


# The reference is generated from the code and has its own test.
@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if path.parent.name != "reference"], ids=name_of
)
def test_unexecuted_code_names_its_source(path: Path) -> None:
    for block in blocks(path):
        assert block.language != "py" or block.source, f"{name_of(path)}, line {block.line}"


@every(
    ("quoted", "missing"),
    [
        ("def one():\n    return 1\n", None),
        ("return 1\n…\n    def inner():\n", None),
        ("def inner():\n", None),
        ("def two():\n", "def two():"),
        ("class Two:\n…\ndef one():\n", "def one():"),
        ("def one():\n\n    return 1\n", "def one():\n\n    return 1"),
        ("def one\n", "def one"),
    ],
)
def test_false_quote_is_detected(quoted: str, missing: str | None) -> None:
    text = "def one():\n    return 1\n\n\nclass Two:\n    def inner():\n        return 2\n"
    assert missing_piece(quoted, text) == missing


def missing_piece(quoted: str, text: str) -> str | None:
    """Return the first part of a quote that is not in the text after the previous one, or None.

    Pieces are whole lines, and may stand deeper in the text than in the quote.
    """
    rest = f"\n{text}"
    for piece in pieces(quoted):
        found = [
            place
            for depth in range(0, 24, 4)
            if (place := rest.find(f"\n{indent(piece, ' ' * depth)}\n")) >= 0
        ]
        if not found:
            return piece
        rest = rest[min(found) + 1 :]
    return None


def pieces(quoted: str) -> list[str]:
    """Return the parts between the lines that leave something out."""
    found: list[list[str]] = [[]]
    for line in quoted.splitlines():
        if line.strip() == LEFT_OUT:
            found.append([])
        else:
            found[-1].append(line)
    return ["\n".join(lines).strip("\n") for lines in found if any(lines)]
