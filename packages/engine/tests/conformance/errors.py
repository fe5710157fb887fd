"""Read the error of an operation, and build requests that type checkers would reject."""

from __future__ import annotations

from typing import Any

import pytest

from dynamodb_engine.errors import ConditionFailed, ResourceNotFound, ValidationError
from dynamodb_engine.operations import Driver, Operation

# Values that the types forbid and the wire allows: an unknown enum value and a missing member.
BOGUS: Any = "BOGUS"
LEFT_OUT: Any = None

ENVELOPE = "1 validation error detected: "
INVALID = "One or more parameter values were invalid: "
NOT_VALID = "One or more parameter values are not valid. "
WRONG_KEY = "The provided key element does not match the schema"
BAD_CAPACITY = (
    "Value 'BOGUS' at 'returnConsumedCapacity' failed to satisfy constraint: "
    "Member must satisfy enum value set: [INDEXES, TOTAL, NONE]"
)
BAD_METRICS = (
    "Value 'BOGUS' at 'returnItemCollectionMetrics' failed to satisfy constraint: "
    "Member must satisfy enum value set: [SIZE, NONE]"
)
# The newer validation names neither the value nor the member, and misspells UPDATED_NEW.
BAD_RETURN_VALUES = (
    "Failed to satisfy constraint: "
    "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
)


def validation_error(driver: Driver, operation: Operation[object]) -> str:
    """Return the message of the ValidationError that the operation raises."""
    with pytest.raises(ValidationError) as raised:
        driver.execute(operation)
    assert raised.value.code == "ValidationException"
    return raised.value.message


def failed_condition(driver: Driver, operation: Operation[object]) -> ConditionFailed:
    """Return the ConditionFailed that the operation raises."""
    with pytest.raises(ConditionFailed) as raised:
        driver.execute(operation)
    assert raised.value.code == "ConditionalCheckFailedException"
    assert raised.value.message == "The conditional request failed"
    return raised.value


def check_not_found(driver: Driver, operation: Operation[object]) -> None:
    """Assert that the operation fails because its table does not exist."""
    with pytest.raises(ResourceNotFound) as raised:
        driver.execute(operation)
    assert raised.value.code == "ResourceNotFoundException"
    assert raised.value.message == "Requested resource not found"
