"""Games in the API: validate a code, and read what the caller's role sees."""

from __future__ import annotations

from typing import Any

from singletable_apps.games.api.dependencies import PUBLIC, SEATED, AnySeat, Service, limited
from singletable_apps.games.errors import NotFound
from singletable_apps.games.tokens import Role
from singletable_apps.shared.web import Model, Segment, api_router

router = api_router("games", *SEATED)


class Validation(Model):
    """Whether there is a game with this code."""

    exists: bool
    game_id: str = ""
    title: str = ""


@router.get(
    "/codes/{code}", openapi_extra=PUBLIC, dependencies=limited("join"), response_model=Validation
)
def validate_code(service: Service, code: Segment) -> Validation:
    """Say whether there is a game with this code."""
    try:
        game = service.games.find_by_code(code)
    except NotFound:
        return Validation(exists=False)
    return Validation(exists=True, game_id=game.game_id, title=game.title)


@router.get("/games/{game_id}/view")
def read_view(service: Service, seated: AnySeat) -> dict[str, Any]:
    """Return what the caller's role sees now, and for a player what concerns only this player."""
    game_id, seat = seated.game.game_id, seated.seat
    view = service.snapshots.view(game_id, seat.role)
    if seat.role is Role.PLAYER:
        snapshot = service.snapshots.read(game_id)
        return {"view": view, "me": service.snapshots.player_view(snapshot, seat.player_id)}
    return {"view": view}
