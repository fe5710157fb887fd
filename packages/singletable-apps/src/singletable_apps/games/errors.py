"""Every error of the games app.

GamesError
├─ RequestRejected    nothing was changed, and the same request will be rejected again
│  ├─ NotFound        no such game, player, question or set; `code` tells which
│  ├─ InvalidInput    the input is not valid; `errors` has a sentence per field
│  │  └─ AlreadyExists   the name is taken in this game, or a set has this name
│  ├─ NotSeated       the token is missing, wrong, or of another game
│  ├─ WrongPhase      the game is in another phase; `phase` and `expected` are fields
│  └─ RoomClosed      the game is locked, full or over, or the player was removed
└─ GamesBusy          too many concurrent writes; try again
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from singletable_apps.shared.errors import AppError
from singletable_apps.shared.permissions import NotPermitted

__all__ = [
    "AlreadyExists",
    "GamesBusy",
    "GamesError",
    "InvalidInput",
    "NotFound",
    "NotPermitted",
    "NotSeated",
    "RequestRejected",
    "RoomClosed",
    "WrongPhase",
]


class GamesError(AppError):
    """Base class of the errors of games, except NotPermitted of the toolkit."""


class RequestRejected(GamesError):
    """The request was rejected and nothing was changed."""


class NotFound(RequestRejected):
    """The game, player, question or set does not exist, or has expired."""


class InvalidInput(RequestRejected):
    """The input is not valid. `errors` has a sentence for each invalid field."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        super().__init__(" ".join(errors.values()))
        self.errors = dict(errors)


class AlreadyExists(InvalidInput):
    """Another player has this name, or a set has it. `suggestions` are similar names."""

    def __init__(self, errors: Mapping[str, str], suggestions: Sequence[str] = ()) -> None:
        super().__init__(errors)
        self.suggestions = tuple(suggestions)


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


class GamesBusy(GamesError):
    """Too many others are writing right now. Nothing was changed; try again."""
