"""Tokens and the syntax tree of an expression, before `#names` and `:values` are resolved."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, cast

from dynamodb_engine.expressions.nodes import At, Path

TokenKind: TypeAlias = Literal["word", "name", "value", "number", "symbol", "end"]

# A character that starts no token is a token of its own: a syntax error wherever it occurs.
_TOKEN = re.compile(
    r"""(?P<word>[A-Za-z][A-Za-z0-9_]*)
      | (?P<name>\#[A-Za-z0-9_]+)
      | (?P<value>:[A-Za-z0-9_]+)
      | (?P<number>[0-9]+)
      | (?P<symbol><>|<=|>=|[^ \t\r\n])
    """,
    re.VERBOSE,
)


class ExpressionError(Exception):
    """An error in one expression, in DynamoDB's words; parser.py prefixes the parameter's name."""


class Token(NamedTuple):
    """A token with its position in the text."""

    kind: TokenKind
    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Split the text into tokens, followed by one of kind "end"."""
    tokens = [
        Token(cast(TokenKind, match.lastgroup), match[0], match.start(), match.end())
        for match in _TOKEN.finditer(text)
    ]
    tokens.append(Token("end", "<EOF>", len(text), len(text)))
    return tokens


def syntax_error(text: str, tokens: list[Token], index: int) -> ExpressionError:
    """Return the error for an unexpected token, which quotes its neighbors too."""
    start = tokens[index - 1].start if index else 0
    # At either end of the text DynamoDB includes the surrounding blanks.
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    end = following.end if following else len(text)
    return ExpressionError(
        f'Syntax error; token: "{tokens[index].text}", near: "{text[start:end]}"'
    )


def wrong_count(operator: str, count: int) -> str:
    """Return the error for a wrong number of operands."""
    return (
        "Incorrect number of operands for operator or function; "
        f"operator or function: {operator}, number of operands: {count}"
    )


@dataclass(frozen=True, slots=True)
class ParsedPath:
    """A document path. `resolved` is set unless a step of it is a `#name`."""

    steps: Path
    resolved: At | None


@dataclass(frozen=True, slots=True)
class ParsedValue:
    """A `:value`."""

    alias: str


@dataclass(frozen=True, slots=True)
class ParsedCall:
    """A function call."""

    function: str
    operands: tuple[ParsedOperand, ...]


ParsedOperand: TypeAlias = ParsedPath | ParsedValue | ParsedCall


@dataclass(frozen=True, slots=True)
class ParsedClause:
    """A comparison or test: "=", "BETWEEN", "IN" or a function, with its operands.

    `error` is set if their number is wrong: DynamoDB reports it while it resolves values.
    """

    operator: str
    operands: tuple[ParsedOperand, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class ParsedJunction:
    """Conditions joined by AND or by OR."""

    word: Literal["AND", "OR"]
    parts: tuple[ParsedCondition, ...]


@dataclass(frozen=True, slots=True)
class ParsedNot:
    """NOT condition"""

    condition: ParsedCondition


ParsedCondition: TypeAlias = ParsedClause | ParsedJunction | ParsedNot


@dataclass(frozen=True, slots=True)
class ParsedArithmetic:
    """left + right, or left - right"""

    sign: Literal["+", "-"]
    left: ParsedOperand
    right: ParsedOperand


ParsedTerm: TypeAlias = ParsedOperand | ParsedArithmetic
Section: TypeAlias = Literal["SET", "REMOVE", "ADD", "DELETE"]


@dataclass(frozen=True, slots=True)
class ParsedAction:
    """One action of an update: its section, its target and its operand (None for REMOVE)."""

    section: Section
    target: ParsedPath
    term: ParsedTerm | None


@dataclass(frozen=True, slots=True)
class ParsedUpdate:
    """The actions, and every `#name` and `:value` in the order of the text."""

    actions: tuple[ParsedAction, ...]
    names: tuple[str, ...]
    values: tuple[str, ...]


ParsedProjection: TypeAlias = tuple[ParsedPath, ...]
