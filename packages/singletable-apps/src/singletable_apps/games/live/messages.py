"""The payloads of live messages, as types: what clients send, and what servers send.

The names in JSON are those of the original, in camel case. `api/asyncapi.py` documents them.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

from singletable_apps.games import errors
from singletable_apps.games.entities import Answer
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.service.answers import Outcome
from singletable_apps.shared.rooms import ClientMessage, Reply

_Kind = Literal["event", "state", "snapshot"]
Emoji: TypeAlias = Literal["👏", "❤️", "😂", "😮", "🎉"]


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
    """A command of a host, and the version of the state that the host saw."""

    command: Command
    version: int | None = None


class ExtendSent(Payload, frozen=True, rename="camel"):
    """More time for the question or the vote."""

    seconds: int
    version: int | None = None


class ReactionSent(Payload, frozen=True, rename="camel"):
    """A reaction of a player, in the lobby or on results. It is counted, and not stored."""

    emoji: Emoji


# ------------------------------------------------------------------------------ replies


class StoredAnswer(Payload, frozen=True, rename="camel"):
    """The answer that the server has."""

    text: str
    choices: tuple[str, ...]
    number: int | None
    status: str

    @classmethod
    def of(cls, answer: Answer) -> StoredAnswer:
        """Return the part of an answer that its phone shows."""
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


class RejectedMessage(Payload, frozen=True, rename="camel"):
    """Why a message was rejected: a code for programs, and a sentence for people.

    `errors` has a sentence per field; a message with `retryAfter` can be sent again.
    """

    code: str
    message: str
    errors: dict[str, str] | msgspec.UnsetType = msgspec.UNSET
    phase: str | msgspec.UnsetType = msgspec.UNSET
    retry_after: float | msgspec.UnsetType = msgspec.UNSET


# ------------------------------------------------------------------------------ views


class TextChoice(Payload, frozen=True, rename="camel"):
    """An answer that can be ranked."""

    id: str
    text: str


class GameView(Payload, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What everyone in a role sees of a game.

    `deadline` is when the phase ends by itself, by the clock of the server. `reveal` comes with the
    results, `leaderboard` after them; hosts see more in `host`. `audience` has the questions of
    players to the host, with their votes.
    """

    game_id: str
    title: str
    engagement_type: str
    join_code: str
    join_url: str
    phase: Phase
    state: str
    paused_phase: Phase | None
    version: int
    is_locked: bool
    is_private: bool
    teams: list[str]
    player_count: int
    question_id: str
    question_number: int
    question_count: int
    deadline: str | None
    opened_at: str | None
    remaining: float | None
    is_anonymous: bool
    next_game: str
    audience: dict[str, Any]
    question: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    survey: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    ballot: list[TextChoice] | msgspec.UnsetType = msgspec.UNSET
    reveal: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    leaderboard: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    host: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class PlayerView(Payload, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What concerns one player: own answers by question, what to rank, points and place."""

    version: int
    player_id: str
    name: str
    team: str
    is_active: bool
    question_id: str
    answers: dict[str, StoredAnswer]
    vote: list[str]
    upvotes: list[str]
    ballot: list[TextChoice] | msgspec.UnsetType = msgspec.UNSET
    required: int | msgspec.UnsetType = msgspec.UNSET
    # The ids in the tally for which the player's answer counts.
    own: list[str] | msgspec.UnsetType = msgspec.UNSET
    total: int | msgspec.UnsetType = msgspec.UNSET
    place: int | msgspec.UnsetType = msgspec.UNSET
    of: int | msgspec.UnsetType = msgspec.UNSET
    gained: int | msgspec.UnsetType = msgspec.UNSET
    is_correct: bool | msgspec.UnsetType | None = msgspec.UNSET
    is_counted: bool | msgspec.UnsetType = msgspec.UNSET
    streak: int | msgspec.UnsetType = msgspec.UNSET
    movement: int | msgspec.UnsetType | None = msgspec.UNSET
    above: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


# ------------------------------------------------------------------------------ from servers


class InitialState(Payload, frozen=True, rename="camel", omit_defaults=True):
    """Everything that a client needs; it replaces what the client knew. `me` is for players."""

    view: GameView
    server_time: str
    me: PlayerView | msgspec.UnsetType = msgspec.UNSET


class GameChanged(Payload, frozen=True, rename="camel"):
    """What everyone in a role sees now."""

    view: GameView


class PlayerChanged(Payload, frozen=True, rename="camel"):
    """What concerns one player now."""

    me: PlayerView


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
    """The connections to all servers together."""

    players: int
    host_present: bool
    screens: int


class Roster(Payload, frozen=True, rename="camel"):
    """How many players have joined, and the newest names with their teams."""

    count: int
    names: tuple[str, ...]
    teams: tuple[str, ...]


class Tally(Payload, frozen=True, rename="camel"):
    """How often each option was chosen so far."""

    question_id: str
    tally: dict[str, int]


class HostPart(Payload, frozen=True, rename="camel"):
    """The `host` part of the view of hosts. Ignore it if the view has another version."""

    version: int
    host: dict[str, Any]


class AudienceChanged(Payload, frozen=True, rename="camel"):
    """The `audience` part of the view."""

    audience: dict[str, Any]


class ReactionCounts(Payload, frozen=True, rename="camel"):
    """How often players have sent each reaction to this server since it opened the room."""

    counts: dict[Emoji, int]


ClientPayload: TypeAlias = AnswerSent | VoteSent | CommandSent | ExtendSent | ReactionSent
# Messages of clients: the payload, and the payload of the reply.
CLIENT_MESSAGES: dict[str, tuple[type[ClientPayload], type[Payload]]] = {
    "answer": (AnswerSent, AnswerReceipt),
    "vote": (VoteSent, VoteReceipt),
    "command": (CommandSent, StateReached),
    "extend": (ExtendSent, StateReached),
    "react": (ReactionSent, ReactionCounts),
}
# Messages of servers: the kind, the payload, and who gets it.
SERVER_MESSAGES: dict[str, tuple[_Kind, type[Payload], str]] = {
    "initialStateSync": ("snapshot", InitialState, "everyone, first"),
    "gameStateChanged": ("event", GameChanged, "everyone"),
    "playerUpdated": ("event", PlayerChanged, "one player"),
    "playerRemoved": ("event", PlayerRemoved, "one player"),
    "aiSummaryReady": ("event", SummaryReady, "everyone"),
    "playerAnswered": ("state", AnswerProgress, "hosts, screens and players"),
    "presenceChanged": ("state", Presence, "everyone"),
    "playerJoined": ("state", Roster, "hosts and screens"),
    "liveTally": ("state", Tally, "hosts and screens"),
    "hostChanged": ("state", HostPart, "hosts"),
    "audienceChanged": ("state", AudienceChanged, "everyone"),
    "reactionsCounted": ("state", ReactionCounts, "hosts and screens"),
}


def read_payload(message: ClientMessage) -> ClientPayload:
    """Return the payload of a message, or raise InvalidInput."""
    if message.type not in CLIENT_MESSAGES:
        raise errors.InvalidInput({"type": f"Unknown type of message: {message.type[:40]}."})
    try:
        return msgspec.convert(message.data, CLIENT_MESSAGES[message.type][0])
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
    errors.Busy: "busy",
}


def error_reply(error: errors.AppError) -> Reply:
    """Return the reply that says why a message was rejected."""
    unset = msgspec.UNSET
    rejected = RejectedMessage(
        _CODES[type(error)],
        str(error),
        errors=error.errors if isinstance(error, errors.InvalidInput) else unset,
        phase=error.phase if isinstance(error, errors.WrongPhase) else unset,
        retry_after=0.5 if isinstance(error, errors.Busy) else unset,
    )
    return Reply("error", rejected)
