"""How an operation words what it refuses before it looks at a table.

AWS moved its operations one by one to newer checks, so that they differ in three ways: which layer
checks values, whether the text stands in the envelope of parameter errors, and whether a bad
expression value is named. The texts are those of eu-west-2 in autumn 2026.
"""

from __future__ import annotations

from dataclasses import dataclass

from singletable.errors import ValidationError
from singletable.values import MODERN, OLDER, TOO_DEEP, AttributeValue, Item, Layer
from singletable.values import check_item as _check_item
from singletable.values import check_value as _check_value

ENVELOPE = "1 validation error detected: "
# Past this depth the single-item writes and the transactions answer as they did of old.
DEEP = 61


@dataclass(frozen=True, slots=True)
class Dialect:
    """One operation's wording."""

    layer: Layer
    envelope: bool
    names_bad_value: bool

    def refusal(self, error: ValidationError) -> ValidationError:
        """The error in the operation's envelope, unless it has one."""
        if not self.envelope or isinstance(error, Bare) or " detected: " in error.message[:40]:
            return error
        return ValidationError(ENVELOPE + error.message)

    def check_item(self, item: Item) -> tuple[Item, int]:
        """The item in canonical form, and its size."""
        if "" in item:
            raise ValidationError("Empty attribute name")
        try:
            return _check_item(item, self.layer)
        except ValidationError as error:
            if error.message == TOO_DEEP and depth_of({"M": item}) - 1 > DEEP + 1:
                raise Bare(TOO_DEEP) from None
            raise

    def check_expression_value(self, key: str, value: AttributeValue) -> AttributeValue:
        """The value in canonical form."""
        try:
            return _check_value(value, self.layer)[0]
        except ValidationError as error:
            deep = error.message == TOO_DEEP and depth_of(value) >= DEEP + self.envelope * 2
            if self.names_bad_value or deep:
                text = f"ExpressionAttributeValues contains invalid value: {error.message}"
                raise Bare(f"{text} for key {key}") from None
            raise


class Bare(ValidationError):
    """A refusal that never stands in an envelope."""


SINGLE_WRITE = Dialect(MODERN, envelope=True, names_bad_value=False)
READ = Dialect(MODERN, envelope=False, names_bad_value=False)
SCAN = Dialect(OLDER, envelope=False, names_bad_value=True)
BATCH_WRITE = Dialect(OLDER, envelope=False, names_bad_value=True)
TRANSACTION = Dialect(MODERN, envelope=False, names_bad_value=False)


def depth_of(value: AttributeValue) -> int:
    """How many maps and lists stand around the innermost value."""
    deepest = 0
    waiting: list[tuple[AttributeValue, int]] = [(value, 0)]
    while waiting:
        current, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting.extend((member, depth + 1) for member in current.get("M", {}).values())
        waiting.extend((member, depth + 1) for member in current.get("L", []))
    return deepest
