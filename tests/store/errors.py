"""An alias of pytest.raises for blocks that raise at their end."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TypeVar

import pytest

X = TypeVar("X", bound=Exception)


def expect_error(
    kind: type[X], match: str | None = None
) -> AbstractContextManager[pytest.ExceptionInfo[X]]:
    """Expect a transaction to be rejected."""
    return pytest.raises(kind, match=match)
