"""Shared fixtures of the tests of constraints."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from dynamodb_engine.engine.constraints import check_constraints
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations import Operation

FindMessage: TypeAlias = Callable[[Operation[object]], str]


@pytest.fixture
def message_of() -> FindMessage:
    """Return a function that returns the message with which an operation is rejected."""

    def find_message(operation: Operation[object]) -> str:
        with pytest.raises(ValidationError) as error:
            check_constraints(operation)
        return error.value.message

    return find_message
