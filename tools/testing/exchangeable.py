"""A driver for an endpoint that serves another engine for each test."""

from __future__ import annotations

from typing import TypeVar

from dynamodb_engine.operations import AsyncDriver, Operation

R = TypeVar("R")


class Exchangeable:
    """The driver behind the endpoint, replaced for each test."""

    def __init__(self) -> None:
        self.engine: AsyncDriver | None = None

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation on the current driver."""
        assert self.engine is not None, "no engine was given to the endpoint"
        return await self.engine.execute(operation)
