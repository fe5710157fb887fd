"""The names and values that a request passes to its expressions, and which of them were used."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions.nodes import At, Path
from dynamodb_engine.expressions.syntax import ExpressionError, ParsedPath
from dynamodb_engine.values import AttributeValue
from dynamodb_engine.values.validation import MAX_NAME_SIZE, NAME_TOO_LARGE, text_size

__all__ = ["Placeholders"]

_NAME = re.compile(r"#[0-9a-zA-Z_]+")
_VALUE = re.compile(r":[0-9a-zA-Z_]+")
MAX_KEY_SIZE = 255
KEY_TOO_LONG = "The expression attribute map contains a key that is too long;"


class Placeholders:
    """ExpressionAttributeNames and ExpressionAttributeValues of one request."""

    __slots__ = ("_unused_names", "_unused_values", "names", "values")

    def __init__(
        self,
        names: Mapping[str, str] | None = None,
        values: Mapping[str, AttributeValue] | None = None,
    ) -> None:
        self.names: Mapping[str, str] = names or {}
        self.values: Mapping[str, AttributeValue] = values or {}
        self._unused_names = dict.fromkeys(self.names)
        self._unused_values = dict.fromkeys(self.values)

    @classmethod
    def checked(
        cls,
        names: Mapping[str, str] | None,
        values: Mapping[str, AttributeValue] | None,
        check_value: Callable[[str, AttributeValue], AttributeValue],
    ) -> Placeholders:
        """Check the two maps in DynamoDB's order and return the placeholders.

        `check_value` takes each `:alias` and its value and returns the value in canonical form; the
        wording of its errors differs between operations.
        """
        if names is not None:
            check_names(names)
        if values is not None:
            check_value_aliases(values)
            values = {alias: check_value(alias, value) for alias, value in values.items()}
        return cls(names, values)

    def name(self, alias: str) -> str:
        """Return the attribute name for a `#name` and mark it used."""
        name = self.names.get(alias)
        if name is None:
            raise ExpressionError(
                "An expression attribute name used in the document path is not defined; "
                f"attribute name: {alias}"
            )
        self._unused_names.pop(alias, None)
        return name

    def value(self, alias: str) -> AttributeValue:
        """Return the value for a `:value` and mark it used."""
        value = self.values.get(alias)
        if value is None:
            raise ExpressionError(
                "An expression attribute value used in expression is not defined; "
                f"attribute value: {alias}"
            )
        self._unused_values.pop(alias, None)
        return value

    def path(self, parsed: ParsedPath) -> Path:
        """Return the path with its `#names` resolved."""
        return self.at(parsed).path

    def at(self, parsed: ParsedPath) -> At:
        """Return the path as an operand, with its `#names` resolved."""
        if parsed.resolved is not None:
            return parsed.resolved
        steps = [
            self.name(step) if isinstance(step, str) and step[0] == "#" else step
            for step in parsed.steps
        ]
        return At(tuple(steps))

    def check_unused(self) -> None:
        """Raise if a name, or then a value, is used by no expression of the request."""
        for parameter, unused in (
            ("ExpressionAttributeNames", self._unused_names),
            ("ExpressionAttributeValues", self._unused_values),
        ):
            if unused:
                raise ValidationError(
                    f"Value provided in {parameter} unused in expressions: "
                    f"keys: {{{', '.join(unused)}}}"
                )


def check_names(names: Mapping[str, str]) -> None:
    """Raise unless ExpressionAttributeNames has keys that are a `#name`, and valid names."""
    if not names:
        raise ValidationError("ExpressionAttributeNames must not be empty")
    for alias, name in names.items():
        if len(alias) > MAX_KEY_SIZE or not _NAME.fullmatch(alias):
            raise _invalid_key("ExpressionAttributeNames", alias, " size of key: {}")
        if not name:
            parameter = "ExpressionAttributeNames contains invalid value: "
            raise ValidationError(f"{parameter}Empty attribute name for key {alias}")
        if text_size(name) > MAX_NAME_SIZE:
            raise ValidationError(NAME_TOO_LARGE)


def check_value_aliases(values: Mapping[str, AttributeValue]) -> None:
    """Raise if ExpressionAttributeValues is empty or has a key that is not a `:value`."""
    if not values:
        raise ValidationError("ExpressionAttributeValues must not be empty")
    for alias in values:
        if not isinstance(alias, str):
            raise ValidationError(
                "Keys of ExpressionAttributeValues are strings, "
                f"but one is of Python type {type(alias).__name__}"
            )
        if len(alias) > MAX_KEY_SIZE or not _VALUE.fullmatch(alias):
            raise _invalid_key("ExpressionAttributeValues", alias)


def _invalid_key(parameter: str, key: str, shown_size: str = "") -> ValidationError:
    size = text_size(key)
    too_long = KEY_TOO_LONG + shown_size.format(size)
    problem = too_long if size > MAX_KEY_SIZE else f'Syntax error; key: "{key}"'
    return ValidationError(f"{parameter} contains invalid key: {problem}")
