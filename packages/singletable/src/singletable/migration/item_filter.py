"""Filters as people type them: DynamoDB's condition language with literal values.

`Status = 'open' AND Total >= 12.5` becomes a FilterExpression with placeholders. So attributes may
have reserved words as names, and the server filters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from msgspec.structs import replace

from dynamodb_engine.expressions import Placeholders, parse_condition
from dynamodb_engine.expressions.grammar import ConditionGrammar
from dynamodb_engine.expressions.syntax import ExpressionError
from dynamodb_engine.operations import Scan
from dynamodb_engine.values import AttributeValue, InvalidNumber, canonical_number
from singletable.errors import InvalidValue, ValidationError

_TOKEN = re.compile(
    r"""(?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
      | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
      | (?P<quoted>`[^`]+`)
      | (?P<word>[^\W0-9]\w*)
      | (?P<symbol><>|<=|>=|[^ \t\r\n])
    """,
    re.VERBOSE,
)
_CONSTANTS: dict[str, AttributeValue] = {
    "true": {"BOOL": True},
    "false": {"BOOL": False},
    "null": {"NULL": True},
}
_HINTS = {
    "!": "Not equal is written <>.",
    "'": "A text that starts with ' has to end with it; '' is a quote inside.",
    '"': 'A text that starts with " has to end with it; "" is a quote inside.',
    "`": "A name that starts with ` has to end with it.",
}
_HINT = "Write values as 'text', 12.5, true, false or null, and attributes by their names."


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """A filter and its request parameters."""

    text: str
    expression: str
    names: dict[str, str]
    values: dict[str, AttributeValue]

    def apply(self, scan: Scan) -> Scan:
        """Return the scan with this filter."""
        return replace(
            scan,
            filter_expression=self.expression,
            expression_attribute_names=self.names or None,
            expression_attribute_values=self.values or None,
        )


def parse_filter(text: str) -> ItemFilter:
    """Parse a filter; raise InvalidValue with the position of an error."""
    parts = _Parts(text)
    grammar = ConditionGrammar(parts.expression)
    try:
        grammar.to_condition(grammar.disjunction())
        if grammar.token.kind != "end":
            grammar.fail()
    except ExpressionError as error:
        if not str(error).startswith("Syntax error"):
            raise _invalid(text, str(error)) from None
        raise _syntax_error(text, parts.original_position(grammar.token.start)) from None
    try:
        parse_condition(parts.expression, Placeholders(parts.names, parts.values))
    except ValidationError as error:
        raise _invalid(text, error.message.partition(": ")[2]) from None
    return ItemFilter(text, parts.expression, parts.names, parts.values)


class _Parts:
    """The expression with placeholders, and where each token of it comes from."""

    def __init__(self, text: str) -> None:
        self.names: dict[str, str] = {}
        self.values: dict[str, AttributeValue] = {}
        self.expression = ""
        self._text = text
        self._starts: list[tuple[int, int]] = []
        tokens = [(str(one.lastgroup), one[0], one.start()) for one in _TOKEN.finditer(text)]
        for index, (kind, token, start) in enumerate(tokens):
            before = tokens[index - 1][1] if index else ""
            after = tokens[index + 1][1] if index + 1 < len(tokens) else ""
            translated = self._translate(kind, token, start, before, after)
            self._starts.append((len(self.expression), start))
            self.expression += f"{translated} "

    def original_position(self, position: int) -> int:
        """Return where the token at a position of the expression is in the text."""
        starts = [original for start, original in self._starts if start >= position]
        return starts[0] if starts else len(self._text)

    def _translate(self, kind: str, token: str, start: int, before: str, after: str) -> str:
        if kind == "text":
            return self._value({"S": token[1:-1].replace(token[0] * 2, token[0])})
        if kind == "number" and before != "[":
            try:
                return self._value({"N": canonical_number(token)})
            except InvalidNumber:
                raise _syntax_error(self._text, start, f"{token} is out of range.") from None
        if kind == "quoted":
            return self._name(token[1:-1])
        if kind != "word" or (before != "." and token.upper() in ConditionGrammar.keywords):
            return token
        if before != "." and token.lower() in _CONSTANTS:
            return self._value(_CONSTANTS[token.lower()])
        return token if after == "(" else self._name(token)

    def _name(self, name: str) -> str:
        for alias, known in self.names.items():
            if known == name:
                return alias
        alias = f"#n{len(self.names)}"
        self.names[alias] = name
        return alias

    def _value(self, value: AttributeValue) -> str:
        alias = f":v{len(self.values)}"
        self.values[alias] = value
        return alias


def _syntax_error(text: str, position: int, reason: str = "") -> InvalidValue:
    found = _TOKEN.match(text, position)
    here = f"unexpected {found[0]}" if found else "something is missing"
    hint = reason or _HINTS.get(text[position : position + 1], _HINT)
    return InvalidValue(
        f"The filter is not valid at character {position + 1}: {here}. {hint}\n"
        f"  {text}\n  {' ' * position}^"
    )


def _invalid(text: str, reason: str) -> InvalidValue:
    return InvalidValue(f"The filter is not valid: {reason.rstrip(';')}.\n  {text}")
