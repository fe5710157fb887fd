"""What API handlers depend on: the service, the seat of the token, and the problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, TypeAlias, cast

from fastapi import Depends, Path, Request
from starlette.requests import HTTPConnection

from singletable_apps.games import errors
from singletable_apps.games.entities import Game
from singletable_apps.games.limits import Limits
from singletable_apps.games.live import LiveGames
from singletable_apps.games.service import GamesService
from singletable_apps.games.tokens import Actor, Role, Seat
from singletable_apps.shared.web import (
    INVALID,
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    UNAVAILABLE,
    FieldError,
    Problem,
    ProblemType,
    Segment,
    SentToken,
    Settings,
    check_limit,
    check_signed_in,
    hit_limit,
    limited_by,
)

# For `openapi_extra`: the operation can be used without a token.
PUBLIC: dict[str, Any] = {"security": [{}]}
# The problems of operations that need a token.
SEATED = (NOT_SIGNED_IN, NOT_ALLOWED, NOT_FOUND, TOO_MANY_REQUESTS)

GameId: TypeAlias = Annotated[Segment, Path(description="The id of a game.")]


@dataclass(frozen=True)
class ApiSettings:
    """`web` is for all requests, `limits` for some of them."""

    web: Settings = field(default_factory=Settings)
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True)
class Api:
    """The service, the settings of the API, and the live games of this process."""

    service: GamesService
    settings: ApiSettings
    live: LiveGames


def get_api(request: HTTPConnection) -> Api:
    """Return the API of a request or a socket."""
    return cast(Api, request.app.state.games)


async def _api(request: Request) -> Api:
    return get_api(request)


CurrentApi: TypeAlias = Annotated[Api, Depends(_api)]


async def _service(api: CurrentApi) -> GamesService:
    return api.service


Service: TypeAlias = Annotated[GamesService, Depends(_service)]


async def _optional_actor(api: CurrentApi, sent: SentToken) -> Actor:
    return api.service.context.tokens.read_actor(sent.credentials) if sent else Actor()


async def _actor(request: Request, api: CurrentApi, sent: SentToken) -> Actor:
    token = check_signed_in(request, sent)
    return api.service.context.tokens.read_actor(token.credentials)


# Someone with a token: a seat, a host or the administrator.
CurrentActor: TypeAlias = Annotated[Actor, Depends(_actor)]
# The same, or an Actor without anything.
AnyActor: TypeAlias = Annotated[Actor, Depends(_optional_actor)]


@dataclass(frozen=True)
class Seated:
    """A game, and the role of the caller in it."""

    seat: Seat
    game: Game


def _seated(actor: CurrentActor, service: Service, game_id: GameId) -> Seated:
    seat, game = service.context.seat_of(actor, game_id)
    return Seated(seat, game)


# Anyone with a seat in the game `game_id` of the path.
AnySeat: TypeAlias = Annotated[Seated, Depends(_seated)]


def find_game(request: Request, api: Api, game_id: str) -> Game:
    """Return a game by its id or its join code, without a token, or raise NotFound."""
    games, context, limits = api.service.games, api.service.context, api.settings.limits
    is_code = len(game_id) < 16
    if is_code:
        check_limit(request, limits.unknown_game)
    try:
        return games.find_by_code(game_id) if is_code else context.get_game(game_id)
    except errors.NotFound:
        # Only wrong codes are counted: a whole audience may come from one address.
        hit_limit(request, limits.unknown_game)
        raise


async def _driver(seated: AnySeat) -> Seated:
    if not seated.seat.can_drive:
        raise errors.NotPermitted("Only hosts can do this.")
    return seated


async def _player(seated: AnySeat) -> Seated:
    if seated.seat.role is not Role.PLAYER:
        raise errors.NotPermitted("Only players can do this.")
    return seated


async def _admin(actor: CurrentActor) -> Actor:
    if not actor.is_admin:
        raise errors.NotPermitted("Only the administrator can do this.")
    return actor


async def _host(actor: CurrentActor) -> str:
    if not actor.host_id:
        raise errors.NotPermitted("Use the token of a host.")
    return actor.host_id


# A host or co-host of the game, or the administrator.
DriverSeat: TypeAlias = Annotated[Seated, Depends(_driver)]
PlayerSeat: TypeAlias = Annotated[Seated, Depends(_player)]
Admin: TypeAlias = Annotated[Actor, Depends(_admin)]
# The id of a host.
HostId: TypeAlias = Annotated[str, Depends(_host)]

# Returns the `dependencies=` of a handler with one of the limits per client network.
limited = limited_by(lambda request: get_api(request).settings.limits)


# ------------------------------------------------------------------------------ problems

WRONG_PHASE = ProblemType(
    "wrong-phase",
    409,
    "Wrong phase",
    "The game is in another phase than this needs. `detail` says which.",
)
ROOM_CLOSED = ProblemType(
    "room-closed", 403, "Room closed", "The game is locked, full or over, or you were removed."
)
EXISTS = ProblemType(
    "already-exists",
    409,
    "Already exists",
    "This name is taken. For players, `suggestions` has some that are free.",
)
SCORED_HERE = ProblemType(
    "computed-by-server",
    410,
    "Computed by the server",
    "The server computes scores when a question closes. Clients cannot set them.",
)
PROBLEM_TYPES = (WRONG_PHASE, ROOM_CLOSED, EXISTS, SCORED_HERE)

_TYPES: dict[type[Exception], ProblemType] = {
    errors.NotFound: NOT_FOUND,
    errors.InvalidInput: INVALID,
    errors.AlreadyExists: EXISTS,
    # Games have no sign-in, so people get another title than in the other apps.
    errors.NotSeated: replace(NOT_SIGNED_IN, title="You need a link for this"),
    errors.NotPermitted: NOT_ALLOWED,
    errors.WrongPhase: WRONG_PHASE,
    errors.RoomClosed: ROOM_CLOSED,
    errors.GamesBusy: UNAVAILABLE,
}


def to_problem(error: Exception, request: Request) -> Problem:
    """Return the problem for an error of the service."""
    fields = error.errors if isinstance(error, errors.InvalidInput) else {}
    is_query = request.method == "GET"
    return Problem(
        _TYPES[type(error)],
        str(error),
        errors=[
            FieldError(text, parameter=name) if is_query else FieldError(text, pointer=f"/{name}")
            for name, text in fields.items()
        ],
        headers={"Retry-After": "1"} if isinstance(error, errors.GamesBusy) else {},
        extensions={"suggestions": [*error.suggestions]}
        if isinstance(error, errors.AlreadyExists) and error.suggestions
        else {},
    )


ERRORS: dict[type[Exception], Callable[[Any, Request], Problem]] = dict.fromkeys(
    (errors.GamesError, errors.NotPermitted), to_problem
)
