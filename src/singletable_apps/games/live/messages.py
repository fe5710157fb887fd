"""The payloads of live messages, as types: what clients send, and what servers send.

The names in JSON are those of the original, in camel case. Views are described by the HTTP API.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from singletable_apps.games import errors
from singletable_apps.games.entities import Answer
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.service.answers import Outcome
from singletable_apps.shared.rooms import Reply

P = TypeVar("P", bound="Payload")


class Payload(msgspec.Struct, frozen=True, rename="camel", omit_defaults=False):
    """The `data` of a message."""


# ------------------------------------------------------------------------------ from clients


class AnswerSent(Payload, frozen=True, rename="camel"):
    """An answer: a text, the ids of options, or a number, as the question needs it."""

    question_id: str
    text: str = ""
    choices: tuple[str, ...] = ()
    number: int | None = None


class VoteSent(Payload, frozen=True, rename="camel"):
    """The ids of answers of others, best first."""

    question_id: str
    ranking: tuple[str, ...]


class CommandSent(Payload, frozen=True, rename="camel"):
    """A command of a host, who saw this version of the state."""

    command: Command
    version: int | None = None


class ExtendSent(Payload, frozen=True, rename="camel"):
    """More time for the question or the vote."""

    seconds: int
    version: int | None = None


# ------------------------------------------------------------------------------ replies


class StoredAnswer(Payload, frozen=True, rename="camel"):
    """The answer that the server has."""

    text: str
    choices: tuple[str, ...]
    number: int | None
    status: str

    @classmethod
    def of(cls, answer: Answer) -> StoredAnswer:
        """Return what a phone is shown of its answer."""
        return cls(answer.text, answer.choices, answer.number, answer.status)


class AnswerReceipt(Payload, frozen=True, rename="camel"):
    """What became of an answer."""

    outcome: Outcome
    answer: StoredAnswer | None = None


class VoteReceipt(Payload, frozen=True, rename="camel"):
    """What became of a vote."""

    outcome: Outcome


class StateReached(Payload, frozen=True, rename="camel"):
    """The phase after a command, also if someone else was faster."""

    phase: Phase
    version: int


# ------------------------------------------------------------------------------ from servers


class InitialState(Payload, frozen=True, rename="camel", omit_defaults=True):
    """Everything that a client needs; it replaces what the client knew. `me` is for players."""

    view: Any
    server_time: str
    me: Any = msgspec.UNSET


class GameChanged(Payload, frozen=True, rename="camel"):
    """What everyone in a role sees now."""

    view: Any


class PlayerChanged(Payload, frozen=True, rename="camel"):
    """What concerns one player now."""

    me: Any


class PlayerRemoved(Payload, frozen=True, rename="camel"):
    """The host has removed this player. The socket is closed after this."""


class SummaryReady(Payload, frozen=True, rename="camel"):
    """A summary of the answers to a question."""

    question_id: str
    summary: str


class AnswerProgress(Payload, frozen=True, rename="camel"):
    """How many of the connected players have answered, or voted."""

    question_id: str
    phase: str
    done: int
    of: int


class Presence(Payload, frozen=True, rename="camel"):
    """Who is connected, to all servers together."""

    players: int
    host_present: bool
    screens: int


class Roster(Payload, frozen=True, rename="camel"):
    """How many players have joined, and the newest names."""

    count: int
    names: tuple[str, ...]


class Tally(Payload, frozen=True, rename="camel"):
    """How often each option was chosen so far."""

    question_id: str
    tally: dict[str, int]


class HostPart(Payload, frozen=True, rename="camel"):
    """The `host` part of the view of hosts."""

    host: Any


def read_payload(payload: type[P], data: object) -> P:
    """Return the payload of a message, or raise InvalidInput."""
    try:
        return msgspec.convert(data, payload)
    except msgspec.ValidationError as error:
        raise errors.InvalidInput({"data": f"{error}."}) from None


_CODES: dict[type[Exception], str] = {
    errors.NotFound: "not-found",
    errors.InvalidInput: "invalid",
    errors.AlreadyExists: "already-exists",
    errors.NotSeated: "not-signed-in",
    errors.NotPermitted: "not-allowed",
    errors.WrongPhase: "wrong-phase",
    errors.RoomClosed: "room-closed",
    errors.GamesBusy: "busy",
}


def error_reply(error: errors.GamesError | errors.NotPermitted) -> Reply:
    """Return the reply that says why a message was rejected."""
    more: dict[str, object] = {}
    if isinstance(error, errors.InvalidInput):
        more["errors"] = error.errors
    if isinstance(error, errors.WrongPhase):
        more["phase"] = error.phase
    if isinstance(error, errors.GamesBusy):
        more["retryAfter"] = 0.5
    return Reply.error(_CODES[type(error)], str(error), **more)
