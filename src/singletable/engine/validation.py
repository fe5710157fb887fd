"""How an operation words what it refuses before it looks at a table.

AWS moved its operations one by one to newer checks, so that they differ in three ways: which layer
checks values, whether the text stands in the envelope of parameter errors, and whether a bad
expression value is named. Requests that are nested too deeply for the newer checks are answered as
of old. The texts are those of eu-west-2 in autumn 2026.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from singletable.engine.constraints import uses_legacy_checks
from singletable.errors import ValidationError
from singletable.values import LEGACY, MODERN, AttributeValue, Item, ValidationLayer
from singletable.values import check_item as _check_item
from singletable.values import check_value as _check_value

ENVELOPE = "1 validation error detected: "


class UnwrappedError(ValidationError):
    """A refusal that never stands in an envelope."""


class InvalidExpressionValue(ValidationError):
    """A refusal of an expression value, which some operations name and others do not."""

    def __init__(self, alias: str, message: str) -> None:
        super().__init__(message)
        self.alias = alias


@dataclass(frozen=True, slots=True)
class Validator:
    """One operation's wording."""

    layer: ValidationLayer
    envelope: bool = False
    names_bad_value: bool = False
    falls_back: bool = False

    def refusal(self, error: ValidationError, request: Struct) -> ValidationError:
        """The error as the operation words it."""
        if isinstance(error, UnwrappedError):
            return ValidationError(error.message)
        of_old = self.falls_back and uses_legacy_checks(request)
        if isinstance(error, InvalidExpressionValue) and (self.names_bad_value or of_old):
            text = f"ExpressionAttributeValues contains invalid value: {error.message}"
            return ValidationError(f"{text} for key {error.alias}")
        if self.envelope and not of_old:
            return ValidationError(ENVELOPE + error.message)
        # Whoever reads a traceback knows the public class alone.
        return (
            ValidationError(error.message) if isinstance(error, InvalidExpressionValue) else error
        )

    def check_item(self, item: Item) -> tuple[Item, int]:
        """The item in canonical form, and its size."""
        if "" in item:
            raise ValidationError("Empty attribute name")
        return _check_item(item, self.layer)

    def check_expression_value(self, alias: str, value: AttributeValue) -> AttributeValue:
        """The value in canonical form."""
        try:
            return _check_value(value, self.layer)[0]
        except ValidationError as error:
            raise InvalidExpressionValue(alias, error.message) from None


SINGLE_WRITE = Validator(MODERN, envelope=True, falls_back=True)
READ = Validator(MODERN)
SCAN = Validator(LEGACY, names_bad_value=True)
BATCH_WRITE = Validator(LEGACY)
TRANSACTION = Validator(MODERN, falls_back=True)
