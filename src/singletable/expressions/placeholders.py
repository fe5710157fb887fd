"""The names and values that a request gives to its expressions, and which of them were used."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from singletable.errors import ValidationError
from singletable.expressions.nodes import At, Path
from singletable.expressions.problem import Problem
from singletable.expressions.written import WrittenPath
from singletable.values import AttributeValue

_NAME = re.compile(r"#[0-9a-zA-Z_]+")
_VALUE = re.compile(r":[0-9a-zA-Z_]+")


class Placeholders:
    """ExpressionAttributeNames and -Values of one request, for all its expressions."""

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
        """The placeholders, after DynamoDB's checks of the maps themselves, in its order.

        `check_value` gets each `:alias` and its value, and gives the value in canonical form: which
        words wrap a refusal differs from operation to operation.
        """
        if names is not None:
            check_names(names)
        if values is not None:
            check_value_names(values)
            values = {alias: check_value(alias, value) for alias, value in values.items()}
        return cls(names, values)

    def name(self, alias: str) -> str:
        """The attribute name behind a `#name`."""
        name = self.names.get(alias)
        if name is None:
            raise Problem(
                "An expression attribute name used in the document path is not defined; "
                f"attribute name: {alias}"
            )
        self._unused_names.pop(alias, None)
        return name

    def value(self, alias: str) -> AttributeValue:
        """The value behind a `:value`."""
        value = self.values.get(alias)
        if value is None:
            raise Problem(
                "An expression attribute value used in expression is not defined; "
                f"attribute value: {alias}"
            )
        self._unused_values.pop(alias, None)
        return value

    def path(self, written: WrittenPath) -> Path:
        """The path with its `#names` looked up."""
        return self.at(written).path

    def at(self, written: WrittenPath) -> At:
        """What stands at the path, its `#names` looked up."""
        if written.ready is not None:
            return written.ready
        steps = [
            self.name(step) if isinstance(step, str) and step[0] == "#" else step
            for step in written.steps
        ]
        return At(tuple(steps))

    def check_unused(self) -> None:
        """Refuse names, then values, that no expression of the request has used."""
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
    """Refuse ExpressionAttributeNames that are empty, or not of the form `#name`."""
    if not names:
        raise ValidationError("ExpressionAttributeNames must not be empty")
    for alias, name in names.items():
        if not _NAME.fullmatch(alias):
            raise ValidationError(
                f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{alias}"'
            )
        if not name:
            raise ValidationError(
                "ExpressionAttributeNames contains invalid value: "
                f"Empty attribute name for key {alias}"
            )


def check_value_names(values: Mapping[str, AttributeValue]) -> None:
    """Refuse ExpressionAttributeValues that are empty, or not of the form `:value`."""
    if not values:
        raise ValidationError("ExpressionAttributeValues must not be empty")
    for alias in values:
        if not _is_alias(alias):
            raise ValidationError(
                f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{alias}"'
            )


def _is_alias(alias: object) -> bool:
    if isinstance(alias, str):
        return _VALUE.fullmatch(alias) is not None
    kind = type(alias).__name__
    raise ValidationError(
        f"ExpressionAttributeValues must be named by strings, and one is of Python's type {kind}"
    )
