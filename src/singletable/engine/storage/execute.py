"""How a statement is run: the one thing that rows need to know of a connection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, cast

import apsw


class Execute(Protocol):
    """Run one statement and give its rows, lazily."""

    def __call__(
        self, statement: str, bindings: tuple[str | bytes | int | float | None, ...] = (), /
    ) -> Iterator[tuple[object, ...]]:
        """The rows of the statement."""
        ...


def statements(connection: apsw.Connection) -> Execute:
    """How statements are run on a connection."""
    # apsw's stub names a type that Python 3.11 does not have, so the checker knows half of it.
    return cast(Execute, connection.execute)  # pyright: ignore[reportUnknownMemberType]
