"""Split a PartiQL statement into tokens."""

from __future__ import annotations

import re
from typing import NamedTuple

from dynamodb_engine.errors import ValidationError

NOT_WELL_FORMED = "Statement wasn't well formed, can't be processed: "
# Words that a path contains only in double quotes: those of SQL-92, and PartiQL's own.
_KEYWORDS = """
    absolute action add all allocate alter and any are as asc assertion at authorization avg bag
    begin between bit bit_length blob bool boolean by cascade cascaded case cast catalog char
    char_length character character_length check clob close coalesce collate collation column commit
    conflict connect connection constraint constraints continue convert corresponding count create
    cross current current_date current_time current_timestamp current_user cursor date deallocate
    dec decimal declare default deferrable deferred delete desc describe descriptor diagnostics
    disconnect distinct do domain double drop else end escape except exception exec execute exists
    external extract false fetch first float for foreign found from full get global go goto grant
    group having identity immediate in index indicator initially inner input insensitive insert int
    integer intersect interval into is isolation join key language last left let level like limit
    list local lower match max min missing modified module names national natural nchar new next no
    not nothing null nullif numeric octet_length of old on open option or order outer output
    overlaps pad partial pivot position precision prepare preserve primary prior privileges
    procedure public read real references relative remove restrict returning revoke right rollback
    rows schema scroll section select session session_user set sexp size smallint some space sql
    sqlcode sqlerror sqlstate string struct substring sum symbol system_user table temporary then
    time timestamp to transaction translate translation trim true tuple union unique unknown unpivot
    update upper usage user using value values varchar varying view when whenever where with work
    write zone
"""
KEYWORDS = frozenset(_KEYWORDS.split())
_TOKEN = re.compile(
    r"""
    (?P<space>\s+|--[^\n]*|/\*.*?\*/)
    |(?P<string>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*")
    |(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w$]))
    |(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)
    |(?P<ion>`[^`]*`)
    |(?P<symbol><>|!=|<=|>=|<<|>>|\|\||/(?!\*)|[-<>=+*%()\[\]{},.:;?@])
    """,
    re.VERBOSE | re.DOTALL,
)


class StatementError(ValidationError):
    """A statement that is rejected regardless of the table."""


def malformed(detail: str = "") -> StatementError:
    """Return the error for a text that is not a statement."""
    return StatementError(NOT_WELL_FORMED + detail)


class Token(NamedTuple):
    """A token, its value (keywords in lower case, texts without quotes), and where it is."""

    kind: str  # string, number, name, quoted, keyword, symbol, ion or end
    value: str
    place: str  # line:column:length, as in DynamoDB's errors


def read_tokens(text: str) -> list[Token]:
    """Return the tokens of a statement, with an "end" after the last."""
    tokens: list[Token] = []
    position, line, line_start = 0, 1, 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise malformed()
        part, kind = found[0], found.lastgroup or ""
        if kind != "space":
            place = f"{line}:{position - line_start + 1}:{len(part)}"
            tokens.append(_token(kind, part, place))
        position = found.end()
        if newlines := part.count("\n"):
            line += newlines
            line_start = position - len(part) + part.rindex("\n") + 1
    tokens.append(Token("end", "", ""))
    return tokens


def _token(kind: str, text: str, place: str) -> Token:
    if kind in ("string", "quoted"):
        text = text[1:-1].replace(text[0] * 2, text[0])
    elif kind == "name" and (word := text.lower()) in KEYWORDS:
        kind, text = "keyword", word
    return Token(kind, "<>" if text == "!=" and kind == "symbol" else text, place)
