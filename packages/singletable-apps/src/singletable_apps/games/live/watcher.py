"""A watcher per game and process: it runs the timers, and tells clients what has changed.

It looks at the game when it is told that it has changed, when something is due, and a few times per
second if nobody tells it what other processes change. All reads and writes are done in threads.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, ParamSpec, TypeVar

import msgspec

from singletable import ConditionFailed, SingleTableError
from singletable_apps.games.entities import GameState, HostAbsence, Player, Process
from singletable_apps.games.errors import AppError, Busy, NotFound, WrongPhase
from singletable_apps.games.live import messages
from singletable_apps.games.live.processes import Counts, ProcessItems, add_up
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.rules import Play, due_at, is_due
from singletable_apps.games.service import GamesService
from singletable_apps.games.service.context import has_link
from singletable_apps.games.tokens import DRIVERS, Role, Seat
from singletable_apps.games.views import Snapshot, View, iso_time, public_view, roster_view
from singletable_apps.shared.rooms import CloseCode, Member, Room

T = TypeVar("T")
P = ParamSpec("P")
_LOG = logging.getLogger("singletable_apps.games")

ROLES = {"host": Role.HOST, "screen": Role.SCREEN, "player": Role.PLAYER, "audience": Role.AUDIENCE}
_COLLECTING = (Phase.OPEN, Phase.VOTING)
_RUNNING = (Phase.READING, *_COLLECTING)
_REACTING = (Phase.WAITING, Phase.REVEAL, Phase.LEADERBOARD, Phase.ENDED)
# Parts of a view that change by messages of their own.
_UNMARKED = ("host", "playerCount", "audience")
# Frames take time that answers need: the phones of a process together get at most this many
# counters per second, and hosts and screens of this many games do.
_COUNTS_PER_SECOND, _GAMES_PER_SECOND = 1_000, 200
# Reading all players or answers again takes at most this share of the time, for all rooms, but no
# room waits for longer than some seconds.
_SHARE, _LONGEST_REST = 0.1, 30.0
# Players who leave are noted a few at a time, when a whole room goes home.
_NOTED_AT_ONCE = 25
ABSENCE = timedelta(seconds=60)
ABSENCE_STEP = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between looks at a game that may be changed elsewhere (`poll`), and at all others.

    Processes tell each other what they know every `exchange`. Counters are sent every `fast` to
    hosts and screens, and every `slow` to players, or more rarely to thousands of them; hosts see
    new answers every `slow`. After a disconnect, players have `settle` to come back before the
    others are all that count.
    """

    poll: float = 0.25
    idle: float = 5.0
    exchange: float = 0.5
    fast: float = 0.2
    slow: float = 1.0
    settle: float = 5.0


@dataclass(slots=True)
class Shown:
    """The last views that clients received, by channel and encoded."""

    snapshot: Snapshot
    views: dict[str, Any] = field(default_factory=dict[str, Any])
    # The views without such parts, to recognize other changes.
    marks: dict[str, bytes] = field(default_factory=dict[str, bytes])
    host: View | None = None


@dataclass(frozen=True, slots=True)
class Attendee(Member):
    """A member with the seat that its token gave it."""

    seat: Seat = field(kw_only=True)


@dataclass(slots=True)
class Watch:
    """The watchers of a process by game, and what they work with.

    `is_alone` is whether no other process uses the database, and `is_told` whether they are told
    what others write.
    """

    service: GamesService
    threads: Executor
    pace: Pace
    is_alone: bool
    is_told: bool
    watchers: dict[str, Watcher] = field(default_factory=dict[str, "Watcher"])

    async def run(self, work: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        """Run work in a thread, and return its result."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, partial(work, *args, **more))


class Watcher:
    """Watches a game for one room.

    All methods are for the event loop, unless they say otherwise.
    """

    def __init__(self, room: Room, watch: Watch) -> None:
        service = watch.service
        self._room = room
        self._watch = watch
        self._pace = watch.pace
        self._service = service
        self._thread = watch.run
        self._game_id = room.key
        self._processes = ProcessItems(service.context, room.key, is_alone=watch.is_alone)
        self._others: list[Process] = []
        self._shown: Shown | None = None
        # The newest state that was written in this process.
        self._written: GameState | None = None
        # Who is connected to this process, by channel.
        self._present: dict[str, dict[str, None]] = {channel: {} for channel in ROLES}
        # When players have left, until it is stored.
        self._left: dict[str, datetime] = {}
        # The questions that each player has answered in this phase, and who is done with all.
        self._answered: dict[str, set[str]] = {}
        self._done: set[str] = set()
        self._reactions = Counter[messages.Emoji]()
        self._changes = 0
        self._handled_changes = 0
        self._read_at = 0.0
        self._exchanged_at = -watch.pace.exchange
        self._next_exchange = 0.0
        self._next_changes = 0.0
        self._next_host_view = 0.0
        self._seconds_to_read = 0.005
        self._settled_at = 0.0
        self._round_began = 0.0
        self._has_new_answers = False
        self._host_seen_at = service.context.clock()
        self._counting: asyncio.TimerHandle | None = None
        self._look: asyncio.TimerHandle | None = None
        # Set if there is a view, and no newer one is read: members that join wait for it.
        self._ready = asyncio.Event()

    # -------------------------------------------------------------------------- what happens here

    def note_change(self) -> bool:
        """Read players and settings again; return whether the room has to be woken for this.

        Call it from any thread.
        """
        is_first = self._changes == self._handled_changes
        self._changes = max(self._changes + 1, time.time_ns())
        return is_first

    def note_state(self, state: GameState) -> bool:
        """Note a state that was written here; return whether the room has to be woken for this.

        Call it from any thread. Who has closed a question counts it, and writes the next state.
        """
        if self._written is None or self._written.version < state.version:
            self._written = state
        return state.closed_at is None

    def note_stored(self, item: GameState | Process) -> None:
        """Note what any process has written."""
        if isinstance(item, Process):
            if item.process_id == self._service.context.process_id:
                return
            self._next_exchange = 0.0
        elif self._shown is not None and item.version <= self._shown.snapshot.state.version:
            return
        self._room.wake()

    def players(self) -> Mapping[str, Player]:
        """Return the players as of the last change. Call it from any thread."""
        return self._shown.snapshot.players if self._shown else {}

    def play(self) -> Play | None:
        """Return the game with the newest state that this process knows. Call it as `players`."""
        if self._shown is None:
            return None
        play, written = self._shown.snapshot.play, self._written
        if written is not None and written.version > play.state.version:
            return replace(play, state=written)
        return play

    def note_joined(self, member: Member) -> None:
        """Count a new member."""
        self._present[_channel(member)][member.id] = None
        self._left.pop(member.id, None)
        self._count_answers(member.id)
        self._update_presence()
        self._update_counts()
        self._exchange_soon()

    def note_left(self, member: Member) -> None:
        """Stop to count a member, and close the question if all others have answered."""
        self._present[_channel(member)].pop(member.id, None)
        self._done.discard(member.id)
        if isinstance(member, Attendee) and member.seat.role is Role.PLAYER:
            self._left[member.id] = self._service.context.clock()
            self._settle()
        self._update_presence()
        self._update_counts()
        self._exchange_soon()

    def note_receipt(self, player_id: str, question_id: str, phase: Phase) -> None:
        """Count a player's answer or vote, unless it is a repetition that came too late."""
        if self._shown is None:
            return
        state = self._shown.snapshot.state
        is_survey = self._shown.snapshot.game.type is EngagementType.SURVEY
        asked = state.played if is_survey else [state.question_id]
        if question_id in asked and phase.value == _round_of(state)[1]:
            self.note_answer(player_id, question_id)

    def note_answer(self, player_id: str, question_id: str) -> None:
        """Count a player's answer or vote, and close the question after the last one."""
        answered = self._answered.setdefault(player_id, set())
        # Live counts change with an opinion, too.
        self._has_new_answers = True
        self._look_soon()
        if question_id not in answered:
            answered.add(question_id)
            self._count_answers(player_id)
            self._update_counts()
            if self._is_all_done():
                self._room.wake()
            elif self._others:
                self._exchange_soon()

    def count_reaction(self, emoji: messages.Emoji) -> messages.ReactionCounts:
        """Count a reaction, and tell hosts and screens the new totals."""
        phase = self._shown.snapshot.state.phase if self._shown else Phase.WAITING
        if phase not in _REACTING:
            raise WrongPhase("React in the lobby, or on results.", phase, _REACTING)
        self._reactions[emoji] += 1
        return self._update_reactions()

    def _count_answers(self, player_id: str) -> None:
        """Count a connected player as done after an answer; in a survey, to any question."""
        if player_id in self._present["player"] and self._answered.get(player_id):
            self._done.add(player_id)

    def _settle(self) -> None:
        """Wait for returning players before the others count as all."""
        self._settled_at = asyncio.get_running_loop().time() + self._pace.settle

    def _update_counts(self) -> None:
        """Tell clients soon: thousands may answer or join within a second."""
        if self._counting is None:
            later = asyncio.get_running_loop().call_later
            self._counting = later(self._fast(), self._show_counts)

    def _fast(self) -> float:
        """Return the seconds between counters of hosts and screens."""
        return max(self._pace.fast, len(self._watch.watchers) / _GAMES_PER_SECOND)

    def _show_counts(self) -> None:
        self._counting = None
        self._update_progress()
        if self._is_all_done():
            self._room.wake()

    def _exchange_soon(self) -> None:
        """Tell other processes soon, and store when players have left."""
        self._next_exchange = min(self._next_exchange, self._exchanged_at + self._pace.exchange)
        self._look_soon()

    def _look_soon(self) -> None:
        """Look at the game in a moment: by then, more may have happened."""
        if self._look is None:
            later = asyncio.get_running_loop().call_later
            self._look = later(self._pace.exchange, self._room.wake)

    # -------------------------------------------------------------------------- snapshots

    async def snapshot(self, member: Member) -> tuple[str, object]:
        """Return what a client is shown first: the views that were published last."""
        await self._ready.wait()
        shown = self._shown
        if shown is None:
            raise Busy("This game cannot be read right now. Try again in a moment.")
        if refusal := _refusal(member, shown.snapshot):
            # It was removed after its token was checked.
            self._room.disconnect(member.id, *refusal)
        channel = _channel(member)
        if channel not in shown.views:
            views = await self._thread(self._build_views, shown.snapshot, [channel])
            self._add_view(shown, channel, views[channel])
        me: Any = msgspec.UNSET
        if channel == "player":
            view = await self._thread(
                self._service.snapshots.player_view, shown.snapshot, member.id
            )
            self._note_known_answers(shown.snapshot, member.id, view)
            me = view
        now = iso_time(self._service.context.clock()) or ""
        return "initialStateSync", messages.InitialState(shown.views[channel], now, me)

    def _note_known_answers(self, snapshot: Snapshot, player_id: str, view: View) -> None:
        if snapshot is not (self._shown and self._shown.snapshot):
            return
        if snapshot.state.phase is Phase.VOTING:
            if len(view["vote"]) >= view.get("required", 1) > 0:
                self.note_answer(player_id, snapshot.state.question_id)
            return
        for question_id in view["answers"]:
            self.note_answer(player_id, question_id)

    # -------------------------------------------------------------------------- the loop

    async def run(self) -> None:
        """Watch until the room is closed."""
        self._update_reactions()
        try:
            while True:
                try:
                    await self._tick()
                except NotFound:
                    self._room.close(CloseCode.NOT_FOUND, "deleted")
                except (SingleTableError, AppError):
                    _LOG.exception("Game %s cannot be read; trying again.", self._game_id)
                    await asyncio.sleep(self._pace.slow)
                await self._room.sleep(self._wait())
        finally:
            self._ready.set()
            for timer in filter(None, (self._counting, self._look)):
                timer.cancel()
            now = self._service.context.clock()
            self._left |= dict.fromkeys(self._present["player"], now)
            with suppress(RuntimeError):  # the interpreter is exiting
                self._watch.threads.submit(self._processes.leave)
                self._watch.threads.submit(self._store_left)

    async def _tick(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None
        state, shown = await self._read_state(), self._shown
        if shown is None or state.version != shown.snapshot.state.version:
            with self._reading():
                await self._show_phase(state)
        loop = asyncio.get_running_loop()
        if loop.time() >= self._next_exchange:
            self._exchanged_at = loop.time()
            interval = self._pace.idle if self._watch.is_told else self._pace.exchange
            self._next_exchange = self._exchanged_at + interval
            if await self._exchange():
                self._handled_changes = -1
            if self._left:
                await self._thread(self._store_left)
        if self._handled_changes != self._changes and loop.time() >= self._next_changes:
            with self._reading():
                await self._show_changes(state)
            self._next_changes = self._next_time(self._pace.fast)
            if self._others:
                self._exchange_soon()
        self._update_progress()
        self._update_presence()
        is_complete = self._is_all_done()
        if is_complete and not self._watch.is_alone:
            # The others may have had players since the last exchange.
            await self._exchange()
            is_complete = self._is_all_done()
        if is_complete:
            await self._command(state, Command.ALL_DONE)
        elif self._has_new_answers and loop.time() >= self._next_host_view:
            await self._show_answers()
        await self._check_absence(state)

    async def _read_state(self) -> GameState:
        """Return the state after doing what is due, or raise NotFound if the game was deleted."""
        now, shown = asyncio.get_running_loop().time(), self._shown
        if self._watch.is_alone and shown and now < self._read_at + self._pace.idle:
            state, written = shown.snapshot.state, self._written
            is_newest = written is None or written.version <= state.version
            if is_newest and not is_due(state, self._service.context.clock()):
                return state
        self._read_at = now
        return await self._thread(self._service.rounds.finish_due, self._game_id)

    def _wait(self) -> float:
        """Return how many seconds to sleep until something is due, or may have changed."""
        if self._shown is None:
            return self._pace.poll
        state, loop = self._shown.snapshot.state, asyncio.get_running_loop()
        # Other processes may have a host who goes on.
        is_busy = self._others or state.phase in _RUNNING
        waits = [self._pace.poll if is_busy and not self._watch.is_told else self._pace.idle]
        if self._handled_changes != self._changes or self._has_new_answers or self._is_all_done():
            waits.append(self._pace.exchange)
        if self._settled_at > loop.time():
            waits.append(self._settled_at - loop.time())
        if (due := due_at(state)) is not None:
            waits.append((due - self._service.context.clock()).total_seconds())
        return max(0.001, min(waits))

    async def _command(self, state: GameState, command: Command) -> None:
        """Move the game on, unless it has changed; the next tick shows it."""
        rounds = self._service.rounds
        await self._thread(lambda: rounds.command(self._game_id, command, version=state.version))
        self._room.wake()

    async def _read_again(self, work: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
        """Run work in a thread, and note how much processor time it takes."""

        def measure() -> T:
            began = time.thread_time()
            try:
                return work(*args, **more)
            finally:
                self._seconds_to_read = time.thread_time() - began

        return await self._thread(measure)

    def _next_time(self, interval: float) -> float:
        """Return when to read again, so that all rooms together take no more than their share."""
        rest = self._seconds_to_read * len(self._watch.watchers) / _SHARE
        return asyncio.get_running_loop().time() + max(interval, min(rest, _LONGEST_REST))

    # -------------------------------------------------------------------------- what clients see

    @contextmanager
    def _reading(self) -> Generator[None]:
        """Hold back new members while the recipients of a change are chosen and it is published."""
        self._ready.clear()
        try:
            yield
        finally:
            if self._shown is not None:
                self._ready.set()

    async def _show_phase(self, state: GameState) -> None:
        """Publish a new state: a view for each channel, and one for each player."""
        players = list(self._present["player"])
        channels = [each for each in ROLES if self._present[each]]
        handled = self._changes
        snapshot, views, personal = await self._thread(
            self._build, state, channels, players, fresh=handled != self._handled_changes
        )
        before = self._shown
        shown = self._shown = Shown(snapshot)
        self._room.version = state.version
        if before is None and state.phase in _COLLECTING:
            # This process is new: the first phone that is back is not the only one.
            self._settle()
        if before is None or _round_of(before.snapshot.state) != _round_of(state):
            self._answered.clear()
            self._done.clear()
            self._round_began = asyncio.get_running_loop().time()
            # Many rooms may begin at the same time, and their first answers come at once.
            self._next_host_view = self._next_time(self._pace.slow)
        for channel, view in views.items():
            self._add_view(shown, channel, view)
            if before is not None:
                self._room.publish(
                    "gameStateChanged", messages.GameChanged(shown.views[channel]), channel
                )
        for player_id, me in personal.items():
            self._note_known_answers(snapshot, player_id, me)
            if before is not None:
                self._room.publish("playerUpdated", messages.PlayerChanged(me), f"me:{player_id}")
        self._update_roster(shown)

    def _build(
        self, state: GameState, channels: Iterable[str], players: Iterable[str], *, fresh: bool
    ) -> tuple[Snapshot, dict[str, View], dict[str, Any]]:
        snapshots = self._service.snapshots
        if fresh:
            snapshots.forget_players(self._game_id)
        snapshot = snapshots.read(self._game_id, state=state)
        return (
            snapshot,
            self._build_views(snapshot, channels),
            snapshots.player_views(snapshot, players),
        )

    def _build_views(self, snapshot: Snapshot, channels: Iterable[str]) -> dict[str, View]:
        views = dict[str, View]()
        for channel in channels:
            role = ROLES[channel]
            source = self._service.snapshots.for_hosts(snapshot) if role in DRIVERS else snapshot
            views[channel] = public_view(source, role)
        return views

    def _add_view(self, shown: Shown, channel: str, view: View) -> None:
        shown.views[channel] = msgspec.Raw(msgspec.json.encode(view))
        marked = {name: each for name, each in view.items() if name not in _UNMARKED}
        shown.marks[channel] = msgspec.json.encode(marked)
        audience = messages.AudienceChanged(view["audience"])
        self._room.update("audienceChanged", audience, channel, interval=self._pace.slow)
        if "host" in view:
            shown.host = view["host"]

    async def _show_changes(self, state: GameState) -> None:
        """Publish what has changed other than by a phase: players, settings, moderation."""
        handled, before = self._changes, self._shown
        assert before is not None
        channels = [each for each in ROLES if self._present[each]]
        snapshot, views, _ = await self._read_again(self._build, state, channels, (), fresh=True)
        shown = self._shown = Shown(snapshot)
        self._handled_changes = handled
        for channel, view in views.items():
            self._add_view(shown, channel, view)
            if shown.marks[channel] != before.marks.get(channel):
                self._room.publish(
                    "gameStateChanged", messages.GameChanged(shown.views[channel]), channel
                )
        self._update_roster(shown)
        self._update_host(shown)
        summary = snapshot.round.summary if snapshot.round else ""
        if summary and before.snapshot.round and summary != before.snapshot.round.summary:
            self._room.publish(
                "aiSummaryReady", messages.SummaryReady(snapshot.state.question_id, summary)
            )
        await self._check_seats(snapshot, before.snapshot)

    async def _check_seats(self, snapshot: Snapshot, before: Snapshot) -> None:
        """Tell players about a new name, team or ballot, and disconnect those without a seat."""
        hidden = [each.round and each.round.hidden for each in (snapshot, before)]
        changed = [
            each
            for each in self._present["player"]
            if hidden[0] != hidden[1]
            or _label(snapshot.players.get(each)) != _label(before.players.get(each))
        ]
        personal: dict[str, Any] = await self._thread(
            self._service.snapshots.player_views, snapshot, changed
        )
        for player_id, me in personal.items():
            self._room.publish("playerUpdated", messages.PlayerChanged(me), f"me:{player_id}")
        for member in self._room.members():
            if refusal := _refusal(member, snapshot):
                if refusal[0] is CloseCode.FORBIDDEN:
                    self._room.publish("playerRemoved", messages.PlayerRemoved(), f"me:{member.id}")
                    await self._room.drain()
                self._room.disconnect(member.id, *refusal)

    async def _show_answers(self) -> None:
        """Show hosts the players with an answer, and hosts and screens live counts."""
        shown = self._shown
        assert shown is not None
        self._has_new_answers = False
        game = shown.snapshot.game
        has_tally = game.settings.live_counts and self._present["screen"]
        if self._present["host"] or has_tally:
            views = await self._read_again(self._build_views, shown.snapshot, ["host"])
            if shown is self._shown:
                self._add_view(shown, "host", views["host"])
                self._update_host(shown)
        self._next_host_view = self._next_time(self._pace.slow)

    # -------------------------------------------------------------------------- states

    def _update_host(self, shown: Shown) -> None:
        if shown.host is None:
            return
        state, settings = shown.snapshot.state, shown.snapshot.game.settings
        part = messages.HostPart(state.version, shown.host)
        self._room.update("hostChanged", part, "host", interval=self._pace.slow)
        if settings.live_counts and state.phase is Phase.OPEN and shown.host["liveTally"]:
            tally = messages.Tally(state.question_id, shown.host["liveTally"])
            for channel in ("host", "screen"):
                self._room.update("liveTally", tally, channel, interval=self._pace.slow)

    def _update_roster(self, shown: Shown) -> None:
        roster = messages.Roster(**roster_view(shown.snapshot.players.values()))
        for channel in ("host", "screen"):
            self._room.update("playerJoined", roster, channel)

    def _update_progress(self) -> None:
        if self._shown is None:
            return
        state, counts = self._shown.snapshot.state, self._counts()
        phones = len(self._present["player"]) * len(self._watch.watchers)
        slow = max(self._pace.slow, phones / _COUNTS_PER_SECOND)
        progress = messages.AnswerProgress(*_round_of(state), counts.done, counts.players)
        intervals = {"host": self._fast(), "screen": self._fast(), "player": slow}
        if asyncio.get_running_loop().time() < self._round_began + slow - self._pace.slow:
            del intervals["player"]
        for channel, interval in intervals.items():
            if self._present[channel]:
                self._room.update("playerAnswered", progress, channel, interval=interval)

    def _update_reactions(self) -> messages.ReactionCounts:
        counts = messages.ReactionCounts(dict(self._reactions))
        for channel in ("host", "screen"):
            self._room.update("reactionsCounted", counts, channel)
        return counts

    def _update_presence(self) -> None:
        if self._shown is None:
            return
        counts = self._counts()
        presence = messages.Presence(counts.players, counts.hosts > 0, counts.screens)
        self._room.update("presenceChanged", presence, interval=self._pace.slow)

    # -------------------------------------------------------------------------- counts

    def _own_counts(self) -> Counts:
        present = self._present
        return Counts(
            players=len(present["player"]),
            done=len(self._done),
            hosts=len(present["host"]),
            screens=len(present["screen"]),
        )

    def _counts(self) -> Counts:
        assert self._shown is not None
        state = self._shown.snapshot.state
        return add_up(self._own_counts(), self._others, state.question_id, state.phase.value)

    def _is_all_done(self) -> bool:
        """Return whether all connected players have answered. A survey stays open."""
        if self._shown is None or len(self._done) < len(self._present["player"]):
            return False
        if asyncio.get_running_loop().time() < self._settled_at:
            return False
        snapshot = self._shown.snapshot
        if snapshot.state.phase not in _COLLECTING or snapshot.state.closed_at is not None:
            return False
        if snapshot.game.type is EngagementType.SURVEY:
            return False
        counts = self._counts()
        return 0 < counts.players <= counts.done

    async def _exchange(self) -> bool:
        """Tell other processes what this one knows; return whether they changed something."""
        assert self._shown is not None
        snapshot, counts = self._shown.snapshot, self._own_counts()
        own = Process(
            game_id=self._game_id,
            process_id=self._service.context.process_id,
            changes=self._changes,
            question_id=snapshot.state.question_id,
            phase=snapshot.state.phase.value,
            players=counts.players,
            done=counts.done,
            hosts=counts.hosts,
            screens=counts.screens,
            seen_at=self._service.context.clock(),
            expires_at=snapshot.game.expires_at,
        )
        before = sum(each.players for each in self._others)
        self._others, has_changed = await self._thread(self._processes.exchange, own)
        if sum(each.players for each in self._others) < before:
            self._settle()
        if snapshot.state.phase in _COLLECTING and any(each.players for each in self._others):
            # Players who are connected there may have answered.
            self._has_new_answers = True
        return has_changed

    def _store_left(self) -> None:
        """Store when players have left. Call it in a thread."""
        for player_id in list(self._left)[:_NOTED_AT_ONCE]:
            if left_at := self._left.pop(player_id, None):
                with suppress(ConditionFailed):  # the game was deleted
                    self._service.players.touch(self._game_id, player_id, left_at)

    # -------------------------------------------------------------------------- no host

    async def _check_absence(self, state: GameState) -> None:
        """Go on or end, as the settings say, when no host has been here for a minute."""
        assert self._shown is not None
        now = self._service.context.clock()
        if self._counts().hosts:
            self._host_seen_at = now
            return
        if now - self._host_seen_at < ABSENCE or state.phase in (Phase.WAITING, Phase.ENDED):
            return
        policy = self._shown.snapshot.game.settings.host_absence
        if policy is HostAbsence.END:
            await self._command(state, Command.END)
        is_shown = state.phase in (Phase.CHECKING, Phase.REVEAL, Phase.LEADERBOARD)
        if policy is HostAbsence.CONTINUE and is_shown and now - state.updated_at >= ABSENCE_STEP:
            await self._command(state, Command.NEXT)


def _channel(member: Member) -> str:
    """Return the channel of the role of a member."""
    return next(each for each in ROLES if each in member.channels)


def _refusal(member: Member, snapshot: Snapshot) -> tuple[CloseCode, str] | None:
    """Return why a member has no seat any more, or None."""
    player = snapshot.players.get(member.id)
    if player is not None and not player.is_active:
        return CloseCode.FORBIDDEN, "removed"
    if isinstance(member, Attendee) and not has_link(member.seat, snapshot.game):
        return CloseCode.UNAUTHORIZED, "link replaced"
    return None


def _round_of(state: GameState) -> tuple[str, str]:
    """Return the question and phase for which answers or votes are counted."""
    phase = state.paused_phase or state.phase
    return state.question_id, phase.value


def _label(player: Player | None) -> tuple[str, str] | None:
    return (player.name, player.team) if player else None
