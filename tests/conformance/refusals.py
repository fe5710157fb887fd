"""What an operation is refused with, and values that no honest caller sends."""

from __future__ import annotations

from typing import Any

import pytest

from singletable.errors import ConditionFailed, ResourceNotFound, ValidationError
from singletable.operations import Driver, Operation

# What the types forbid and the wire does not: a word of no list, and a member left out.
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
# The newer checks name neither the value nor the member, and misspell UPDATED_NEW.
BAD_RETURN_VALUES = (
    "Failed to satisfy constraint: "
    "Member must satisfy enum value set: [ALL_OLD, UPDATED_OLD, ALL_NEW, UPDATE_NEW, NONE]"
)


def refusal(driver: Driver, operation: Operation[object]) -> str:
    """The words with which the operation is refused as invalid."""
    with pytest.raises(ValidationError) as refused:
        driver.execute(operation)
    assert refused.value.code == "ValidationException"
    return refused.value.message


def failed_condition(driver: Driver, operation: Operation[object]) -> ConditionFailed:
    """The refusal of an operation whose condition does not hold."""
    with pytest.raises(ConditionFailed) as refused:
        driver.execute(operation)
    assert refused.value.code == "ConditionalCheckFailedException"
    assert refused.value.message == "The conditional request failed"
    return refused.value


def check_not_found(driver: Driver, operation: Operation[object]) -> None:
    """Assert that the operation is refused because its table is not there."""
    with pytest.raises(ResourceNotFound) as refused:
        driver.execute(operation)
    assert refused.value.code == "ResourceNotFoundException"
    assert refused.value.message == "Requested resource not found"
