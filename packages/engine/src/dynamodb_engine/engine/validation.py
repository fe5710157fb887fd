"""Validate the values in a request, with the checks and error messages of its operation.

AWS moved its operations to newer checks one by one, so they differ in three ways: which layer
checks values, whether the message has the prefix of parameter errors, and whether it names an
invalid expression value. Requests nested too deeply for the newer checks get the older ones. The
messages are those of eu-west-2 in autumn 2026.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import Struct

from dynamodb_engine.engine.constraints import uses_legacy_checks
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.values import (
    LEGACY,
    MAX_ITEM_SIZE,
    MODERN,
    AttributeValue,
    Item,
    ValidationLayer,
    ValueTooLarge,
)
from dynamodb_engine.values import check_item as _check_item
from dynamodb_engine.values import check_value as _check_value

ENVELOPE = "1 validation error detected: "


class UnwrappedError(ValidationError):
    """An error that never gets the prefix of parameter errors."""


class InvalidExpressionValue(ValidationError):
    """An invalid expression value, which some operations name and others do not."""

    def __init__(self, alias: str, message: str) -> None:
        super().__init__(message)
        self.alias = alias


@dataclass(frozen=True, slots=True)
class Validator:
    """The checks and the error messages of one group of operations."""

    layer: ValidationLayer
    envelope: bool = False
    names_bad_value: bool = False
    legacy_if_deep: bool = False

    def format_error(self, error: ValidationError, request: Struct) -> ValidationError:
        """Return the error with the message that the operation returns."""
        if isinstance(error, UnwrappedError | ValueTooLarge):
            return ValidationError(error.message)
        is_legacy = self.legacy_if_deep and uses_legacy_checks(request)
        if isinstance(error, InvalidExpressionValue) and (self.names_bad_value or is_legacy):
            text = f"ExpressionAttributeValues contains invalid value: {error.message}"
            return ValidationError(f"{text} for key {error.alias}")
        if self.envelope and not is_legacy:
            return ValidationError(ENVELOPE + error.message)
        # Tracebacks show the public class only.
        if isinstance(error, InvalidExpressionValue):
            return ValidationError(error.message)
        return error

    def check_item(self, item: Item) -> tuple[Item, int]:
        """Return the item in canonical form, and its size."""
        if "" in item:
            raise ValidationError("Empty attribute name")
        return _check_item(item, self.layer)

    def check_expression_value(self, alias: str, value: AttributeValue) -> AttributeValue:
        """Return the value in canonical form."""
        try:
            return _check_value(value, self.layer)[0]
        except ValueTooLarge:
            raise
        except ValidationError as error:
            raise InvalidExpressionValue(alias, error.message) from None


# A value too large for any item is rejected before it is read completely.
_MODERN = replace(MODERN, max_size=MAX_ITEM_SIZE)
_LEGACY = replace(LEGACY, max_size=MAX_ITEM_SIZE)
SINGLE_WRITE = Validator(_MODERN, envelope=True, legacy_if_deep=True)
READ = Validator(_MODERN)
SCAN = Validator(_LEGACY, names_bad_value=True)
BATCH_WRITE = Validator(_LEGACY)
TRANSACTION = Validator(_MODERN, legacy_if_deep=True)
