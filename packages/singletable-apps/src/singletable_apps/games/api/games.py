"""Games in the API: create, find, drive, change and delete them; join them, and list players."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

from fastapi import Request, Response
from pydantic import ConfigDict, Field, ValidationInfo, field_validator
from pydantic.alias_generators import to_camel
from pydantic.dataclasses import dataclass

from singletable_apps.games import entities
from singletable_apps.games.api.dependencies import (
    EXISTS,
    ROOM_CLOSED,
    SEATED,
    WRONG_PHASE,
    Admin,
    AnyActor,
    AnySeat,
    Body,
    CurrentState,
    DriverSeat,
    GameId,
    HostId,
    PlayerSeat,
    Service,
    find_game,
    named_as_sent,
)
from singletable_apps.games.api.sets import SetBody
from singletable_apps.games.errors import InvalidInput, NotFound, NotPermitted
from singletable_apps.games.formats.document import QuestionDocument
from singletable_apps.games.kinds import check_set
from singletable_apps.games.phases import HOST_COMMANDS, ORIGINAL_STATES, Command, Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.service import GamesService
from singletable_apps.games.service.games import GameDraft, draft_from_set, take_fields
from singletable_apps.games.tokens import Role, new_id
from singletable_apps.games.web import limit_access_codes
from singletable_apps.shared import web
from singletable_apps.shared.frame import limited

router, players = web.api_router("games", *SEATED), web.api_router("players", *SEATED)


_JSON = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


def _strict(struct: type[Any]) -> Any:
    """Return a validator that rejects 1 for true, and true or "1" for 1."""
    kinds: dict[str, Any] = {each.name: type(each.default) for each in fields(struct)}

    def check_type(value: object, info: ValidationInfo) -> object:
        expected = kinds.get(info.field_name or "")
        if expected in (bool, int) and type(value) is not expected:
            raise ValueError("Expected true or false" if expected is bool else "Expected a number")
        return value

    return field_validator("*", mode="before")(check_type)


@dataclass(frozen=True, config=_JSON)
class SettingsBody(entities.GameSettings):
    """Settings of a game. Times are in seconds; 0 means no limit."""

    _check_types = _strict(entities.GameSettings)


@dataclass(frozen=True, config=_JSON)
class HomeworkBody(entities.Homework):
    """How a game is played as homework: players answer one question after the other."""

    due_at: web.Timestamp = Field(description="Nothing is accepted after it.")
    _check_types = _strict(entities.Homework)


class NewGame(Body):
    """A game to create, with the questions of a set or with its own."""

    title: str = Field("", description="“Engagements Session” if it is empty.")
    engagement_type: EngagementType | None = Field(
        None, description="For own questions; a set has its own type."
    )
    question_set_id: str = Field("", description="A set that you can play.")
    questions: list[QuestionDocument] = Field([], description="Instead of a set.")
    ai_context: str = Field("", description="Background for the summary of answers.")
    access_code: str = Field("", description="Players have to enter it, too.")
    settings: SettingsBody = Field(default_factory=SettingsBody)
    homework: HomeworkBody | None = Field(None, description="Null for a game in a room.")


class SeatTokens(Body):
    """A token for each role. Everyone with the token has the role."""

    host: str
    cohost: str
    screen: str
    audience: str


class CreatedGame(Body):
    """A new game with the tokens of its roles."""

    game_id: str
    join_code: str
    join_url: str
    tokens: SeatTokens
    host_token: str = Field(description="Recognizes you as the host of all your games.")


class GameBody(
    Body,
    of=entities.Game,
    only="game_id title engagement_type question_set_id question_count categories join_code "
    "join_url is_locked is_private debug_mode created_at last_activity_at expires_at phase state "
    "homework",
    rename={"type": "engagement_type"},
):
    """A game."""

    question_set_id: str = Field(description="For hosts; others could read the solutions with it.")
    join_url: str
    is_private: bool
    phase: Phase
    state: str = Field(description="The phase in the words of the original.")
    homework: HomeworkBody | None = Field(None, description="For hosts.")


@router.post(
    "/games",
    status_code=201,
    openapi_extra=web.PUBLIC,
    responses={**web.responses(web.INVALID), 201: {"headers": web.LOCATION}},
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
            homework = take_fields(entities.Homework, body.homework)
            game = service.homework.give(host_id, draft, homework)
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
        settings=take_fields(entities.GameSettings, body.settings),
    )


def _join_url(service: GamesService, game: entities.Game) -> str:
    return service.context.urls.absolute(service.context.urls.join(game.join_code))


def _show(service: GamesService, game: entities.Game, *, for_host: bool = True) -> GameBody:
    state = service.rounds.finish_due(game.game_id)
    return GameBody.from_object(
        game,
        question_set_id=game.set_id if for_host else "",
        is_private=bool(game.access_code),
        join_url=_join_url(service, game),
        phase=state.phase,
        state=ORIGINAL_STATES[state.phase],
        homework=asdict(game.homework) if game.homework and for_host else None,
    )


class GameEntryBody(
    Body, of=entities.GameEntry, omit="created_by", rename={"type": "engagement_type"}
):
    """A game in the history."""

    duration: int = Field(description="Minutes from the creation to the end.")


@router.get("/games")
def list_games(service: Service, host_id: HostId, page: web.Pagination) -> web.Page[GameEntryBody]:
    """Return your games, newest first."""
    found = service.rounds.list_of_host(host_id, page.limit, page.cursor)
    return page.answer([GameEntryBody.from_object(each) for each in found.items], found.cursor)


class GameStatusBody(GameEntryBody):
    """A game of any host, with what happens in it now."""

    created_by: str
    phase: Phase | None = Field(description="Null, if the game has expired.")
    players: int = Field(description="Players who are connected.")


@router.get("/admin/games")
def list_all_games(
    service: Service, admin: Admin, page: web.Pagination
) -> web.Page[GameStatusBody]:
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
    return _show(service, seated.game, for_host=seated.seat.can_drive)


class Validation(Body):
    """Whether there is a game with this code or id."""

    exists: bool
    game_id: str = ""
    title: str = ""


@router.get("/games/{game_id}/validate", openapi_extra=web.PUBLIC, dependencies=limited("join"))
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

    due_at: web.Timestamp


@router.put("/games/{game_id}/homework", responses=web.responses(web.INVALID, WRONG_PHASE))
def change_deadline(service: Service, seated: DriverSeat, body: Deadline) -> GameBody:
    """Change the deadline of a homework that is open. To close it, end the game."""
    with named_as_sent(due_at="dueAt"):
        game = service.homework.set_deadline(seated.game.game_id, body.due_at)
    return _show(service, game)


@router.post("/games/{game_id}/homework/next", responses=web.responses(WRONG_PHASE))
def go_on(service: Service, seated: PlayerSeat, attempt: int, position: int) -> dict[str, Any]:
    """Begin an attempt, or leave the question of this place, and return what comes next."""
    game_id, player_id = seated.game.game_id, seated.seat.player_id
    service.homework.advance(game_id, player_id, attempt, position)
    return {"homework": service.homework.view(game_id, player_id)}


# ------------------------------------------------------------------------------ state


class StateBody(
    Body,
    of=entities.GameState,
    only="game_id current_state phase version current_question_id current_question_index "
    "question_started_at opened_at deadline played_questions scored_questions updated_at",
    rename={
        "question_id": "current_question_id",
        "question_index": "current_question_index",
        "played": "played_questions",
        "scored": "scored_questions",
    },
):
    """The state of a game."""

    current_state: str = Field(description="The phase in the words of the original.")
    version: int = Field(description="Send it with a command, so that it is executed once.")


class NewState(Body):
    """A command. Without a version it applies to any state of the game."""

    command: Command
    version: int | None = Field(None, strict=True, description="The version that the host saw.")


@router.get("/games/{game_id}/state")
def read_state(service: Service, seated: AnySeat) -> StateBody:
    """Return the state of a game, after doing what is due."""
    return _show_state(service.rounds.finish_due(seated.game.game_id))


def _show_state(state: entities.GameState) -> StateBody:
    return StateBody.from_object(state, current_state=ORIGINAL_STATES[state.phase])


@router.put("/games/{game_id}/state", responses=web.responses(WRONG_PHASE))
def change_state(service: Service, seated: DriverSeat, body: NewState) -> StateBody:
    """Execute a command of a host, unless the state has another version than the host saw."""
    if body.command not in HOST_COMMANDS:
        raise NotPermitted("Only the server can do this.")
    rounds, game_id = service.rounds, seated.game.game_id
    return _show_state(rounds.command(game_id, body.command, version=body.version))


# ------------------------------------------------------------------------------ changes


class NewTitle(Body):
    """A title."""

    event_title: str


class DebugMode(Body):
    """Whether summaries come with the prompt that they are made from."""

    debug_mode: web.StrictBoolean


@router.post("/games/{game_id}/update-title", responses=web.responses(web.INVALID))
def change_title(service: Service, seated: DriverSeat, body: NewTitle) -> GameBody:
    """Change the title of a game."""
    with named_as_sent():
        return _show(service, service.games.edit(seated.game.game_id, title=body.event_title))


@router.post("/games/{game_id}/debug-mode")
def change_debug_mode(service: Service, seated: DriverSeat, body: DebugMode) -> GameBody:
    """Return summaries with the prompt that they are made from, or without it."""
    return _show(service, service.games.edit(seated.game.game_id, debug_mode=body.debug_mode))


@router.post("/games/{game_id}/clear", status_code=204)
def delete_game(service: Service, seated: DriverSeat) -> None:
    """Delete a game with everything in it. Co-hosts cannot do this."""
    if seated.seat.role is Role.COHOST:
        raise NotPermitted("Only the host can delete a game.")
    service.games.delete(seated.game.game_id)


# ------------------------------------------------------------------------------ players


class NewPlayer(Body):
    """A new player."""

    name: str
    team: str = ""
    access_code: str = Field("", description="For a private game.")


class PlayerBody(
    Body,
    of=entities.Player,
    only="player_id name team total_score rank is_active joined_at last_seen_at attempt position",
):
    """A player. Scores are those after the last question with points.

    In a homework, `position` is how many questions of the current attempt are over.
    """


class JoinedPlayer(
    Body, of=entities.Player, only="game_id player_id name team token rejoined total_score"
):
    """A player with the token that only this player gets."""

    token: str
    rejoined: bool


@players.post(
    "/games/{game_id}/players",
    status_code=201,
    openapi_extra={"security": [*web.PUBLIC["security"], {"access token": []}]},
    responses={**web.responses(web.INVALID, EXISTS, ROOM_CLOSED), 200: {"model": JoinedPlayer}},
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
        service.players.touch(game.game_id, seat.player_id, service.context.clock())
        response.status_code = 200
        return _joined(known, service.context.tokens.seat_token(seat), rejoined=True)
    with named_as_sent(), limit_access_codes(request, game):
        joined = service.players.join(
            game.game_id, body.name, team=body.team, access_code=body.access_code
        )
    return _joined(joined.player, joined.token, rejoined=False)


def _joined(player: entities.Player, token: str, *, rejoined: bool) -> JoinedPlayer:
    return JoinedPlayer.from_object(player, token=token, rejoined=rejoined)


@players.get("/games/{game_id}/players", responses=web.responses(web.INVALID_CURSOR))
def list_players(service: Service, seated: AnySeat, page: web.Pagination) -> web.Page[PlayerBody]:
    """Return players in the order of joining, with their scores after the last question."""
    store, game_id = service.game_store, seated.game.game_id
    scores = {
        each.player: {"total_score": each.total, "rank": each.place}
        for each in store.get_standings(service.rounds.finish_due(game_id))
    }
    joined = sorted(store.list_players(game_id), key=lambda each: each.joined_at)
    shown, cursor = page.slice(joined, service.context.tokens.cursor_key)
    bodies = [PlayerBody.from_object(each, **scores.get(each.player_id, {})) for each in shown]
    return page.answer(bodies, cursor)
