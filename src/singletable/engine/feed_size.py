"""How much the change feed has grown since it was last weighed."""

from __future__ import annotations

from typing import cast

from singletable.engine.storage import Execute


class FeedSize:
    """The changes that no block holds yet; a write that is undone may be counted, which is no harm.

    Weighing costs some statements, so it is done once in a while, not with each write.
    """

    __slots__ = ("unweighed",)

    def __init__(self) -> None:
        self.unweighed = 0

    def load(self, execute: Execute) -> None:
        """Take up the count where the last engine on the file left it."""
        ((unweighed,),) = execute(
            "SELECT coalesce((SELECT max(position) FROM changes), 0) - "
            "coalesce((SELECT max(position) FROM change_blocks), 0)"
        )
        self.unweighed = cast(int, unweighed)
