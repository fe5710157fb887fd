"""Full-text search in memory, with SQLite FTS5.

An app keeps its documents in the table and builds this index from them at start. A query can never
be a syntax error: every word is searched for as it is, and the last one as the beginning of a word.
English words match in their other forms, too: radios and radio.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from threading import Lock
from typing import Any, cast
from unicodedata import category, normalize

import apsw

MAX_QUERY = 200
MAX_WORDS = 12
_START, _END = "\x02", "\x03"
# Chinese, Japanese, Korean and Thai are written without spaces. Every character becomes a word of
# its own, separated by an invisible space, and a word of the query becomes a phrase of them.
_UNSPACED = re.compile("([\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af])")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ZERO_WIDTH_SPACE = "\u200b"
_SCHEMA = """
CREATE VIRTUAL TABLE documents USING fts5(
    key UNINDEXED, title, tags, text,
    tokenize = "porter unicode61 remove_diacritics 2", prefix = '2 3'
)
"""
# The weights of the columns: a word in the title says more than one in the text.
_RANK = "bm25(documents, 0, 10, 5, 1)"


@dataclass(frozen=True, slots=True)
class Document:
    """Something to search for. `text` is plain text."""

    key: str
    title: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A document that was found. The words of the query are marked in HTML that is safe to show."""

    key: str
    title_html: str
    snippet_html: str


class SearchIndex:
    """An index of documents. Threads may share it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connection = apsw.Connection(":memory:")
        # The types of apsw are not complete.
        self._execute = cast(
            Callable[..., Iterable[tuple[Any, ...]]],
            self._connection.execute,  # pyright: ignore[reportUnknownMemberType]
        )
        self._execute(_SCHEMA)
        self._rows: dict[str, int] = {}

    def update(self, documents: Iterable[Document], *, removed: Iterable[str] = ()) -> None:
        """Add documents, or replace those with the same keys, and remove others."""
        with self._lock, self._connection:
            for key in removed:
                self._remove(key)
            for document in documents:
                self._remove(document.key)
                self._execute(
                    "INSERT INTO documents (key, title, tags, text) VALUES (?, ?, ?, ?)",
                    (
                        document.key,
                        _indexed(document.title),
                        _indexed(" ".join(document.tags)),
                        _indexed(document.text),
                    ),
                )
                self._rows[document.key] = self._connection.last_insert_rowid()

    def search(
        self, query: str, *, limit: int = 20, accepts: Callable[[str], bool] = lambda key: True
    ) -> list[SearchHit]:
        """Return the documents that contain all words of the query, best first.

        `accepts` is called with the keys, and leaves out documents.
        """
        expression = _match_expression(query)
        if not expression:
            return []
        with self._lock:
            ranked = self._execute(
                f"SELECT rowid, key FROM documents WHERE documents MATCH ? ORDER BY {_RANK}, rowid",
                (expression,),
            )
            rows: list[int] = []
            for row, key in ranked:
                if len(rows) == limit:
                    break
                if accepts(key):
                    rows.append(row)
            return [hit for row in rows for hit in self._hits(expression, row)]

    def _hits(self, expression: str, row: int) -> list[SearchHit]:
        # Only the documents that are shown are read for their snippets.
        found = self._execute(
            "SELECT key, highlight(documents, 1, ?2, ?3), snippet(documents, 3, ?2, ?3, '…', 24) "
            "FROM documents WHERE documents MATCH ?1 AND rowid = ?4",
            (expression, _START, _END, row),
        )
        return [SearchHit(key, _marked(title), _marked(text)) for key, title, text in found]

    def _remove(self, key: str) -> None:
        row = self._rows.pop(key, None)
        if row is not None:
            self._execute("DELETE FROM documents WHERE rowid = ?", (row,))


def _match_expression(query: str) -> str:
    """Return the query in the language of FTS5, or an empty text if it has no words.

    Every word is a quoted phrase. FTS5 divides it again where it has punctuation, as it divided the
    documents, so that `don't` and `node.js` are found as they are written.
    """
    words = _indexed(query[:MAX_QUERY]).replace('"', " ").split()
    phrases = [f'"{word}"' for word in words if any(map(_is_letter, word))]
    if not phrases:
        return ""
    # In `c++`, the c is not the beginning of a word, and too many words begin with one letter.
    last = words[-1].rstrip(_ZERO_WIDTH_SPACE)
    is_prefix = len(phrases) <= MAX_WORDS and len(last) > 1 and _is_letter(last[-1])
    return " ".join(phrases[:MAX_WORDS]) + (" *" if is_prefix else "")


def _indexed(text: str) -> str:
    """Return the text as it is indexed: without control characters, which mark the hits."""
    plain = _CONTROLS.sub(" ", normalize("NFC", text).replace(_ZERO_WIDTH_SPACE, ""))
    return _UNSPACED.sub(rf"\1{_ZERO_WIDTH_SPACE}", plain)


def _is_letter(character: str) -> bool:
    """Return whether FTS5 indexes the character."""
    return category(character)[0] in "LN"


def _marked(text: str) -> str:
    safe = escape(text.replace(_ZERO_WIDTH_SPACE, ""))
    return safe.replace(_START, "<mark>").replace(_END, "</mark>")
