"""Games in the API: create, find, list, drive, change and delete them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fastapi import Request, Response

from singletable_apps.games.api.dependencies import (
    SCORED_HERE,
    SEATED,
    WRONG_PHASE,
    AnyActor,
    AnySeat,
    CurrentState,
    DriverSeat,
    GameId,
    HostId,
    Service,
    find_game,
)
from singletable_apps.games.api.schemas import (
    CreatedGame,
    DebugMode,
    GameBody,
    GameEntryBody,
    NewGame,
    NewState,
    NewTitle,
    SeatTokens,
    Start,
    StateBody,
    Validation,
    named_as_sent,
)
from singletable_apps.games.api.sets import SetBody
from singletable_apps.games.entities import Game
from singletable_apps.games.errors import InvalidInput, NotFound, NotPermitted
from singletable_apps.games.phases import HOST_COMMANDS, Command
from singletable_apps.games.questions import EngagementType, check_set
from singletable_apps.games.service import GamesService
from singletable_apps.games.service.games import GameDraft, draft_from_set
from singletable_apps.games.tokens import Role, new_id
from singletable_apps.shared.frame import limited
from singletable_apps.shared.web import (
    INVALID,
    PUBLIC,
    Page,
    Pagination,
    Problem,
    api_router,
    responses,
)

router = api_router("games", *SEATED)


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
        game = service.games.create(host_id, _draft(service, host_id, body))
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
    view = service.snapshots.view(game_id, seat.role)
    if seat.role is Role.PLAYER:
        snapshot = service.snapshots.read(game_id)
        return {"view": view, "me": service.snapshots.player_view(snapshot, seat.player_id)}
    return {"view": view}


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


@router.post("/games/{game_id}/start-question", responses=responses(WRONG_PHASE))
def start_question(service: Service, seated: DriverSeat, body: Start | None = None) -> StateBody:
    """Go on: start the game, close the question, or show the next one. The server chooses it."""
    version = body.version if body else None
    rounds, game_id = service.rounds, seated.game.game_id
    return StateBody.of(rounds.command(game_id, Command.NEXT, version=version))


@router.post("/games/{game_id}/scores", status_code=410, responses=responses(SCORED_HERE))
def add_scores(seated: AnySeat) -> None:
    """Reject scores of clients: the server computes them when a question closes."""
    raise Problem(SCORED_HERE, "The server computes the scores. Read them with GET …/players.")


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
