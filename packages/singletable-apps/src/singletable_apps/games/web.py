"""What the API and the pages share: limits on guesses of codes, which count only wrong ones.

A whole audience may come from one address.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

from fastapi import Request

from singletable_apps.games.entities import Game
from singletable_apps.games.errors import InvalidInput, NotFound
from singletable_apps.shared.frame import limit_failures


def limit_unknown_codes(request: Request) -> AbstractContextManager[None]:
    """Raise a 429 problem after too many join codes of no game; count NotFound raised inside."""
    return limit_failures(request, "unknown_game", lambda error: isinstance(error, NotFound))


def limit_access_codes(request: Request, game: Game) -> AbstractContextManager[None]:
    """Do the same for wrong access codes of a private game."""
    if not game.access_code:
        return nullcontext()
    return limit_failures(
        request,
        "wrong_code",
        lambda error: isinstance(error, InvalidInput) and "access_code" in error.errors,
    )
