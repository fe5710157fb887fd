"""Who watches a game: the members in its room, and which players have answered.

All of it is in memory, and callers pass the time. Processes add up each other's `Counts`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from msgspec import Struct

from singletable_apps.games.entities import GameState, Process
from singletable_apps.games.phases import Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.tokens import Role, Seat
from singletable_apps.games.views import Snapshot
from singletable_apps.shared.rooms import Member

# The channels of a room, and the role that each is for.
ROLES = {"host": Role.HOST, "screen": Role.SCREEN, "player": Role.PLAYER, "audience": Role.AUDIENCE}
# Phases in which players answer or vote.
COLLECTING = (Phase.OPEN, Phase.VOTING)


@dataclass(frozen=True, slots=True)
class Attendee(Member):
    """A member with the seat that its token gave it."""

    seat: Seat = field(kw_only=True)


class Counts(Struct, frozen=True):
    """How many are connected, and how many of the players have answered or voted."""

    players: int = 0
    done: int = 0
    hosts: int = 0
    screens: int = 0


class Presence:
    """The members of a room who are connected to this process, and their answers.

    `connected` has their ids by channel, `left` the players whose departure is not stored yet, and
    `others` what other processes count. Until `settled_at`, players who have lost their connection
    may come back before the others count as all.
    """

    def __init__(self) -> None:
        self.connected: dict[str, dict[str, None]] = {channel: {} for channel in ROLES}
        self.left: dict[str, datetime] = {}
        self.others: list[Process] = []
        self.settled_at = 0.0
        # The questions that each player has answered in this round, and who is done.
        self._answered: dict[str, set[str]] = {}
        self._done: set[str] = set()

    def add(self, member: Member) -> None:
        """Count a new member."""
        self.connected[channel_of(member)][member.id] = None
        self.left.pop(member.id, None)
        self._count_done(member.id)

    def remove(self, member: Member, now: datetime) -> None:
        """Stop counting a member."""
        self.connected[channel_of(member)].pop(member.id, None)
        self._done.discard(member.id)
        if is_player(member):
            self.left[member.id] = now

    def remove_all_players(self, now: datetime) -> None:
        """Note that all players have left."""
        self.left |= dict.fromkeys(self.connected["player"], now)

    def channels(self) -> list[str]:
        """Return the channels that somebody listens to."""
        return [channel for channel, ids in self.connected.items() if ids]

    def add_answer(self, player_id: str, question_id: str) -> bool:
        """Count an answer or vote; return False if it was counted before."""
        answered = self._answered.setdefault(player_id, set())
        if question_id in answered:
            return False
        answered.add(question_id)
        self._count_done(player_id)
        return True

    def _count_done(self, player_id: str) -> None:
        """Count a connected player as done after an answer; in a survey, to any question."""
        if player_id in self.connected["player"] and self._answered.get(player_id):
            self._done.add(player_id)

    def begin_round(self) -> None:
        """Forget the answers of the round before."""
        self._answered.clear()
        self._done.clear()

    def own_counts(self) -> Counts:
        """Return the counts of this process."""
        return Counts(
            players=len(self.connected["player"]),
            done=len(self._done),
            hosts=len(self.connected["host"]),
            screens=len(self.connected["screen"]),
        )

    def counts(self, state: GameState) -> Counts:
        """Return the counts of all processes."""
        return add_up(self.own_counts(), self.others, state.question_id, state.phase.value)

    def is_complete(self, snapshot: Snapshot, now: float) -> bool:
        """Return whether all connected players have answered. A survey stays open."""
        if len(self._done) < len(self.connected["player"]) or now < self.settled_at:
            return False
        state = snapshot.state
        if state.phase not in COLLECTING or state.closed_at is not None:
            return False
        if snapshot.game.type is EngagementType.SURVEY:
            return False
        counts = self.counts(state)
        return 0 < counts.players <= counts.done


def channel_of(member: Member) -> str:
    """Return the channel of the role of a member."""
    return next(channel for channel in ROLES if channel in member.channels)


def is_player(member: Member) -> bool:
    """Return whether a member plays, rather than hosting or watching."""
    return isinstance(member, Attendee) and member.seat.role is Role.PLAYER


def round_of(state: GameState) -> tuple[str, str]:
    """Return the question and phase for which answers or votes are counted."""
    phase = state.paused_phase or state.phase
    return state.question_id, phase.value


def begins_round(before: Snapshot | None, state: GameState) -> bool:
    """Return whether answers to another question, or votes, are counted from this state on."""
    return before is None or round_of(before.state) != round_of(state)


def add_up(own: Counts, others: Iterable[Process], question_id: str, phase: str) -> Counts:
    """Return the sums. Players of a process that is at another question have not answered yet."""
    players, done, hosts, screens = own.players, own.done, own.hosts, own.screens
    for other in others:
        players += other.players
        hosts += other.hosts
        screens += other.screens
        if (other.question_id, other.phase) == (question_id, phase):
            done += other.done
    return Counts(players, done, hosts, screens)
