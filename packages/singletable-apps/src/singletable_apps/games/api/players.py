"""Players in the API: join, come back, list."""

from __future__ import annotations

from fastapi import Request, Response

from singletable_apps.games.api.dependencies import (
    EXISTS,
    ROOM_CLOSED,
    SEATED,
    AnyActor,
    AnySeat,
    CurrentState,
    GameId,
    Service,
    find_game,
)
from singletable_apps.games.api.schemas import (
    JoinedPlayer,
    NewPlayer,
    PlayerList,
    named_as_sent,
)
from singletable_apps.games.entities import Player
from singletable_apps.games.errors import InvalidInput
from singletable_apps.games.tokens import Role
from singletable_apps.shared.frame import limited
from singletable_apps.shared.web import (
    INVALID,
    INVALID_CURSOR,
    PUBLIC,
    Pagination,
    api_router,
    check_limit,
    hit_limit,
    responses,
)

router = api_router("players", *SEATED)


@router.post(
    "/games/{game_id}/players",
    status_code=201,
    openapi_extra={"security": [*PUBLIC["security"], {"access token": []}]},
    responses={**responses(INVALID, EXISTS, ROOM_CLOSED), 200: {"model": JoinedPlayer}},
    dependencies=limited("join"),
)
def join_game(
    request: Request,
    state: CurrentState,
    actor: AnyActor,
    game_id: GameId,
    body: NewPlayer,
    response: Response,
) -> JoinedPlayer:
    """Join a game by its id or its join code, and get the token of the new player.

    With the token of a player of this game, the same player comes back, and the body is ignored:
    the status is 200, and `rejoined` is true.
    """
    service, game = state.service, find_game(request, state, game_id)
    seat = actor.seat
    if seat is not None and seat.role is Role.PLAYER and seat.game_id == game.game_id:
        service.context.seat_of(actor, game.game_id)
        known = service.context.get_player(game.game_id, seat.player_id)
        service.players.touch(game.game_id, seat.player_id)
        response.status_code = 200
        return _joined(known, service.context.tokens.seat_token(seat), rejoined=True)
    guesses = state.limits["wrong_code"] if game.access_code else None
    check_limit(request, guesses)
    try:
        with named_as_sent():
            joined = service.players.join(
                game.game_id, body.name, team=body.team, access_code=body.access_code
            )
    except InvalidInput as error:
        if "accessCode" in error.errors:
            hit_limit(request, guesses)
        raise
    return _joined(joined.player, joined.token, rejoined=False)


def _joined(player: Player, token: str, *, rejoined: bool) -> JoinedPlayer:
    return JoinedPlayer.from_object(player, token=token, rejoined=rejoined)


@router.get("/games/{game_id}/players", responses=responses(INVALID_CURSOR))
def list_players(service: Service, seated: AnySeat, page: Pagination) -> PlayerList:
    """Return players in the order of joining, with their scores after the last question."""
    store, game_id = service.game_store, seated.game.game_id
    standings = store.get_standings(service.rounds.finish_due(game_id))
    joined = sorted(store.list_players(game_id), key=lambda each: each.joined_at)
    players, cursor = page.slice(joined, service.context.tokens.cursor_key)
    page.link_next(cursor)
    return PlayerList.of(players, standings, cursor)
