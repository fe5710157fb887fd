"""The errors of games: those that all apps share, and its own.

RequestRejected      nothing was changed, and the same request will be rejected again
├─ AlreadyExists     the name is taken in this game, or a set has this name
├─ NotSeated         the token is missing, wrong, or of another game
├─ WrongPhase        the game is in another phase; `phase` and `expected` are fields
└─ RoomClosed        the game is locked, full or over, or the player was removed
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from singletable_apps.shared import errors
from singletable_apps.shared.errors import AppError, Busy, InvalidInput, NotFound, RequestRejected
from singletable_apps.shared.permissions import NotPermitted

__all__ = [
    "AlreadyExists",
    "AppError",
    "Busy",
    "InvalidInput",
    "NotFound",
    "NotPermitted",
    "NotSeated",
    "RequestRejected",
    "RoomClosed",
    "WrongPhase",
]


class AlreadyExists(errors.AlreadyExists):
    """Another player has this name, or a set has it. `suggestions` are similar names."""

    def __init__(self, errors: Mapping[str, str], suggestions: Sequence[str] = ()) -> None:
        super().__init__(errors)
        self.suggestions = tuple(suggestions)
        # The members of the problem.
        self.extensions = {"suggestions": [*suggestions]} if suggestions else {}


class NotSeated(RequestRejected):
    """The token is missing, not valid, or was issued for another game."""


class WrongPhase(RequestRejected):
    """The game is in another phase than this command needs."""

    def __init__(self, message: str, phase: str, expected: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.phase = phase
        self.expected = expected


class RoomClosed(RequestRejected):
    """The game is locked, full or over, or this player was removed from it."""
