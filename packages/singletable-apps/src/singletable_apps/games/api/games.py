"""Games in the API: create, find, drive, change and delete them; join them, and list players."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import Request, Response
from pydantic import Field

from singletable_apps.games.api.dependencies import (
    EXISTS,
    ROOM_CLOSED,
    SEATED,
    WRONG_PHASE,
    Admin,
    AnyActor,
    AnySeat,
    CurrentState,
    DriverSeat,
    GameId,
    HostId,
    PlayerSeat,
    Service,
    find_game,
)
from singletable_apps.games.api.schemas import (
    Body,
    CreatedGame,
    DebugMode,
    GameBody,
    GameEntryBody,
    JoinedPlayer,
    NewGame,
    NewPlayer,
    NewState,
    NewTitle,
    PlayerList,
    SeatTokens,
    StateBody,
    Validation,
    named_as_sent,
)
from singletable_apps.games.api.sets import SetBody
from singletable_apps.games.entities import Game, Homework, Player
from singletable_apps.games.errors import InvalidInput, NotFound, NotPermitted
from singletable_apps.games.kinds import check_set
from singletable_apps.games.phases import HOST_COMMANDS, Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.service import GamesService
from singletable_apps.games.service.games import GameDraft, draft_from_set
from singletable_apps.games.tokens import Role, new_id
from singletable_apps.shared.frame import limited
from singletable_apps.shared.web import (
    INVALID,
    INVALID_CURSOR,
    PUBLIC,
    Page,
    Pagination,
    Timestamp,
    api_router,
    check_limit,
    hit_limit,
    responses,
)

router, players = api_router("games", *SEATED), api_router("players", *SEATED)


@router.post(
    "/games",
    status_code=201,
    openapi_extra=PUBLIC,
    responses=responses(INVALID),
    dependencies=limited("create"),
)
def create_game(
    service: Service, actor: AnyActor, body: NewGame, response: Response
) -> CreatedGame:
    """Create a game, and return the tokens of its roles.

    Send the `hostToken` of your first game with the next ones, so that all are in your history.
    """
    host_id = actor.host_id or new_id()
    with named_as_sent():
        draft = _draft(service, host_id, body)
        if body.homework:
            game = service.homework.give(host_id, draft, Homework(**dict(body.homework)))
        else:
            game = service.games.create(host_id, draft)
    context = service.context
    response.headers["Location"] = context.urls.api("games", game.game_id)
    seats = {role.value: context.issue_seat(game, role) for role in _LINKED}
    return CreatedGame(
        game_id=game.game_id,
        join_code=game.join_code,
        join_url=_join_url(service, game),
        tokens=SeatTokens(**seats),
        host_token=context.tokens.host_token(host_id),
    )


_LINKED = (Role.HOST, Role.COHOST, Role.SCREEN, Role.AUDIENCE)


def _draft(service: GamesService, host_id: str, body: NewGame) -> GameDraft:
    """Return the draft with the questions of a set, or with own ones."""
    if bool(body.questions) == bool(body.question_set_id):
        raise InvalidInput({"set_id": "Send either a question set or questions."})
    if body.question_set_id:
        loaded = service.sets.load_for_game(body.question_set_id, host_id)
        draft = draft_from_set(
            loaded.draft, loaded.item.set_id, loaded.item.set_version, title=body.title
        )
    else:
        kind = body.engagement_type or EngagementType.MIXED
        own = {"name": "Own questions", "type": kind, "questions": body.questions}
        questions = check_set(SetBody.model_validate(own).to_draft()).questions
        draft = GameDraft(title=body.title, type=kind, questions=questions)
    return replace(
        draft,
        ai_context=body.ai_context or draft.ai_context,
        access_code=body.access_code,
        settings=body.settings.to_settings(),
    )


def _join_url(service: GamesService, game: Game) -> str:
    return service.context.urls.absolute(service.context.urls.join(game.join_code))


@router.get("/games")
def list_games(service: Service, host_id: HostId, page: Pagination) -> Page[GameEntryBody]:
    """Return your games, newest first."""
    found = service.games.list_of_host(host_id, page.limit, page.cursor)
    return page.answer([GameEntryBody.from_object(each) for each in found.items], found.cursor)


class GameStatusBody(GameEntryBody):
    """A game of any host, with what happens in it now."""

    created_by: str
    phase: Phase | None = Field(description="Null, if the game has expired.")
    players: int = Field(description="Players who are connected.")


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


@router.get("/games/{game_id}")
def read_game(service: Service, seated: AnySeat) -> GameBody:
    """Return a game."""
    state = service.rounds.finish_due(seated.game.game_id)
    join_url = _join_url(service, seated.game)
    return GameBody.of(seated.game, state, join_url, for_host=seated.seat.can_drive)


@router.get("/games/{game_id}/validate", openapi_extra=PUBLIC, dependencies=limited("join"))
def validate_game(request: Request, state: CurrentState, game_id: GameId) -> Validation:
    """Say whether there is a game with this join code, or this id."""
    try:
        game = find_game(request, state, game_id)
    except NotFound:
        return Validation(exists=False)
    return Validation(exists=True, game_id=game.game_id, title=game.title)


@router.get("/games/{game_id}/view")
def read_view(service: Service, seated: AnySeat) -> dict[str, Any]:
    """Return what the caller's role sees now, and for a player what concerns only this player."""
    game_id, seat = seated.game.game_id, seated.seat
    if seated.game.homework and seat.player_id:
        return {"homework": service.homework.view(game_id, seat.player_id)}
    view = service.snapshots.view(game_id, seat.role)
    if seat.role is Role.PLAYER:
        snapshot = service.snapshots.read(game_id)
        return {"view": view, "me": service.snapshots.player_view(snapshot, seat.player_id)}
    return {"view": view}


# ------------------------------------------------------------------------------ homework


class Deadline(Body):
    """Until when a homework can be answered."""

    due_at: Timestamp


@router.put("/games/{game_id}/homework", responses=responses(INVALID, WRONG_PHASE))
def change_deadline(service: Service, seated: DriverSeat, body: Deadline) -> GameBody:
    """Change the deadline of a homework that is open. To close it, end the game."""
    with named_as_sent(due_at="dueAt"):
        game = service.homework.set_deadline(seated.game.game_id, body.due_at)
    return GameBody.of(game, service.rounds.finish_due(game.game_id), _join_url(service, game))


@router.post("/games/{game_id}/homework/next", responses=responses(WRONG_PHASE))
def go_on(service: Service, seated: PlayerSeat, attempt: int, position: int) -> dict[str, Any]:
    """Begin an attempt, or leave the question of this place, and return what comes next."""
    game_id, player_id = seated.game.game_id, seated.seat.player_id
    service.homework.advance(game_id, player_id, attempt, position)
    return {"homework": service.homework.view(game_id, player_id)}


# ------------------------------------------------------------------------------ state


@router.get("/games/{game_id}/state")
def read_state(service: Service, seated: AnySeat) -> StateBody:
    """Return the state of a game, after doing what is due."""
    return StateBody.of(service.rounds.finish_due(seated.game.game_id))


@router.put("/games/{game_id}/state", responses=responses(WRONG_PHASE))
def change_state(service: Service, seated: DriverSeat, body: NewState) -> StateBody:
    """Execute a command of a host, unless the state has another version than the host saw."""
    if body.command not in HOST_COMMANDS:
        raise NotPermitted("Only the server can do this.")
    rounds, game_id = service.rounds, seated.game.game_id
    return StateBody.of(rounds.command(game_id, body.command, version=body.version))


# ------------------------------------------------------------------------------ changes


@router.post("/games/{game_id}/update-title", responses=responses(INVALID))
def change_title(service: Service, seated: DriverSeat, body: NewTitle) -> GameBody:
    """Change the title of a game."""
    with named_as_sent():
        game = service.games.edit(seated.game.game_id, title=body.event_title)
    return GameBody.of(game, service.rounds.finish_due(game.game_id), _join_url(service, game))


@router.post("/games/{game_id}/debug-mode")
def change_debug_mode(service: Service, seated: DriverSeat, body: DebugMode) -> GameBody:
    """Show hosts what summaries are made from, or do not."""
    game = service.games.edit(seated.game.game_id, debug_mode=body.debug_mode)
    return GameBody.of(game, service.rounds.finish_due(game.game_id), _join_url(service, game))


@router.post("/games/{game_id}/clear", status_code=204)
def delete_game(service: Service, seated: DriverSeat) -> None:
    """Delete a game with everything in it. Co-hosts cannot do this."""
    if seated.seat.role is Role.COHOST:
        raise NotPermitted("Only the host can delete a game.")
    service.games.delete(seated.game.game_id)


# ------------------------------------------------------------------------------ players


@players.post(
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


@players.get("/games/{game_id}/players", responses=responses(INVALID_CURSOR))
def list_players(service: Service, seated: AnySeat, page: Pagination) -> PlayerList:
    """Return players in the order of joining, with their scores after the last question."""
    store, game_id = service.game_store, seated.game.game_id
    standings = store.get_standings(service.rounds.finish_due(game_id))
    joined = sorted(store.list_players(game_id), key=lambda each: each.joined_at)
    players, cursor = page.slice(joined, service.context.tokens.cursor_key)
    page.link_next(cursor)
    return PlayerList.of(players, standings, cursor)
