"""Dependencies of API handlers: the service, the seat of the token, and the problems."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import datetime
from functools import cached_property
from typing import Annotated, TypeAlias

from fastapi import Depends, Path, Request
from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from singletable_apps.games import errors
from singletable_apps.games.entities import Game, GameSettings
from singletable_apps.games.live import LiveGames
from singletable_apps.games.service import GamesService
from singletable_apps.games.tokens import Actor, Role, Seat
from singletable_apps.games.web import limit_unknown_codes
from singletable_apps.shared import web
from singletable_apps.shared.frame import AppProblems, AppState, current_service, current_state

# The problems of operations that need a token.
SEATED = (web.NOT_SIGNED_IN, web.NOT_ALLOWED, web.NOT_FOUND, web.TOO_MANY_REQUESTS)

GameId: TypeAlias = Annotated[web.Segment, Path(description="The id of a game.")]


@dataclass(frozen=True)
class GamesState(AppState[GamesService]):
    """The open app, with the live games of this process."""

    @cached_property
    def live(self) -> LiveGames:
        """The live games, opened when the first client comes."""
        return LiveGames(self.service)


CurrentState: TypeAlias = Annotated[GamesState, Depends(current_state)]
Service: TypeAlias = Annotated[GamesService, Depends(current_service)]


async def _optional_actor(service: Service, sent: web.SentToken) -> Actor:
    return service.context.tokens.read_actor(sent.credentials) if sent else Actor()


async def _actor(request: Request, service: Service, sent: web.SentToken) -> Actor:
    return service.context.tokens.read_actor(web.check_signed_in(request, sent).credentials)


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


def find_game(request: Request, state: GamesState, game_id: str) -> Game:
    """Return a game by its id or its join code, without a token, or raise NotFound."""
    if len(game_id) >= 16:
        return state.service.context.get_game(game_id)
    with limit_unknown_codes(request):
        return state.service.games.find_by_code(game_id)


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


# ------------------------------------------------------------------------------ bodies


class Body(web.Model, json_types={datetime: web.Timestamp}):
    """A body with names in camel case."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


_SENT_NAMES = {
    "set_id": "questionSetId",
    "text": "answer",
    "due_at": "homework/dueAt",
    **{name: f"homework/{name}" for name in ("attempts", "seconds", "names")},
}
SETTING_NAMES = frozenset(each.name for each in fields(GameSettings))


@contextmanager
def named_as_sent(**others: str) -> Generator[None]:
    """Rename the fields of errors to what the client has sent; `others` has its own names."""
    sent_names = _SENT_NAMES | others
    try:
        yield
    except errors.InvalidInput as error:
        names = {
            name: f"settings/{to_camel(name)}"
            if name in SETTING_NAMES
            else sent_names.get(name, to_camel(name))
            for name in error.errors
            if "/" not in name
        }
        error.errors = {names.get(name, name): text for name, text in error.errors.items()}
        raise


# ------------------------------------------------------------------------------ problems

WRONG_PHASE = web.ProblemType(
    "wrong-phase",
    409,
    "Wrong phase",
    "The game is in another phase than this needs. `detail` says which.",
)
ROOM_CLOSED = web.ProblemType(
    "room-closed", 403, "Room closed", "The game is locked, full or over, or you were removed."
)
EXISTS = web.ProblemType(
    "already-exists",
    409,
    "Already exists",
    "This name is taken. For players, `suggestions` has some that are free.",
)
PROBLEMS = AppProblems(
    {
        errors.AlreadyExists: EXISTS,
        # Games have no sign-in, so people get another title than in the other apps.
        errors.NotSeated: replace(web.NOT_SIGNED_IN, title="You need a link for this"),
        errors.WrongPhase: WRONG_PHASE,
        errors.RoomClosed: ROOM_CLOSED,
    }
)
