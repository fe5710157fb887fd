"""What AWS says to an operation before it looks at anything else."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from singletable.engine.constraints import check_constraints
from singletable.errors import ValidationError
from singletable.operations import Operation

Refusal: TypeAlias = Callable[[Operation[object]], str]


@pytest.fixture
def refusal() -> Refusal:
    """The message with which an operation is refused."""

    def told(operation: Operation[object]) -> str:
        with pytest.raises(ValidationError) as refused:
            check_constraints(operation)
        return refused.value.message

    return told
