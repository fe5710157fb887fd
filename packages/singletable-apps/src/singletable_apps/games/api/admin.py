"""The administrator in the API: list all games, and delete them, as the original does."""

from __future__ import annotations

from pydantic import Field

from singletable_apps.games.api.dependencies import SEATED, Admin, GameId, Service
from singletable_apps.games.api.schemas import Body, GameEntryBody
from singletable_apps.games.errors import InvalidInput, NotFound
from singletable_apps.games.phases import Phase
from singletable_apps.shared.web import INVALID, Page, Pagination, api_router, responses

router = api_router("administrator", *SEATED)
CLEAR_PHRASE = "delete all games"


class GameStatusBody(GameEntryBody):
    """A game of any host, with what happens in it now."""

    created_by: str
    phase: Phase | None = Field(description="Null, if the game has expired.")
    players: int = Field(description="Players who are connected.")


class Clear(Body):
    """The confirmation: “delete all games”."""

    confirm: str


class Cleared(Body):
    """Whether all games are deleted. If not, send the request again."""

    is_complete: bool


@router.get("/admin/games")
def list_all_games(service: Service, admin: Admin, page: Pagination) -> Page[GameStatusBody]:
    """Return the games of all hosts, newest first."""
    found = service.admin.list_games(page.limit, page.cursor)
    bodies = [
        GameStatusBody.from_object(
            each.entry, phase=each.state and each.state.phase, players=each.players
        )
        for each in found.items
    ]
    return page.answer(bodies, found.cursor)


@router.post("/admin/clear-game/{game_id}", status_code=204)
def clear_game(service: Service, admin: Admin, game_id: GameId) -> None:
    """Delete a game of any host, with everything in it. Repeating it changes nothing."""
    if service.games.find_entry(game_id) is None:
        raise NotFound("Game not found. Please check the game ID.")
    service.games.delete(game_id)


@router.post("/admin/clear-all-games", responses=responses(INVALID))
def clear_all_games(service: Service, admin: Admin, body: Clear) -> Cleared:
    """Delete the games of all hosts, some with each request."""
    if body.confirm != CLEAR_PHRASE:
        raise InvalidInput({"confirm": f"Send “{CLEAR_PHRASE}”."})
    return Cleared(is_complete=service.admin.delete_games())
