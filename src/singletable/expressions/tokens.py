"""The text of an expression, cut into tokens."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, TypeAlias, cast

from singletable.expressions.problem import Problem

TokenKind: TypeAlias = Literal["word", "name", "value", "number", "symbol", "end"]

# A character that begins no token is a token of its own: a syntax error wherever it stands.
_TOKEN = re.compile(
    r"""(?P<word>[A-Za-z][A-Za-z0-9_]*)
      | (?P<name>\#[A-Za-z0-9_]+)
      | (?P<value>:[A-Za-z0-9_]+)
      | (?P<number>[0-9]+)
      | (?P<symbol><>|<=|>=|[^ \t\r\n])
    """,
    re.VERBOSE,
)


class Token(NamedTuple):
    """A piece of the text, and where it stands there."""

    kind: TokenKind
    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """The tokens of the text, closed by one of kind "end"."""
    tokens = [
        Token(cast(TokenKind, match.lastgroup), match[0], match.start(), match.end())
        for match in _TOKEN.finditer(text)
    ]
    tokens.append(Token("end", "<EOF>", len(text), len(text)))
    return tokens


def syntax_error(text: str, tokens: list[Token], at: int) -> Problem:
    """That the token at a position is out of place; it is shown between its neighbours."""
    start = tokens[at - 1].start if at else 0
    # Next to either end of the text DynamoDB shows the blanks there too.
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    end = following.end if following else len(text)
    return Problem(f'Syntax error; token: "{tokens[at].text}", near: "{text[start:end]}"')
