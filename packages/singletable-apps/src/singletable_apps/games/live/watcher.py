"""A watcher per game and process: it follows the state, runs timers, and lets a publisher show it.

It looks at the game when it is told that it has changed, when something is due, and a few times per
second if nothing reports the changes of other processes. All reads and writes are done in threads.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

from singletable import ConditionFailed, SingleTableError
from singletable_apps.games.entities import GameState, Player, Process
from singletable_apps.games.errors import AppError, NotFound
from singletable_apps.games.live import messages
from singletable_apps.games.live.presence import (
    COLLECTING,
    Presence,
    begins_round,
    is_player,
    round_of,
)
from singletable_apps.games.live.processes import ProcessItems
from singletable_apps.games.live.publisher import Publisher
from singletable_apps.games.live.setup import LiveSetup
from singletable_apps.games.phases import Command, Phase
from singletable_apps.games.questions import EngagementType
from singletable_apps.games.rules import Play, command_without_host, due_at, is_due
from singletable_apps.games.views import Snapshot
from singletable_apps.shared.rooms import CloseCode, Member, Room

_LOG = logging.getLogger("singletable_apps.games")

_RUNNING = (Phase.READING, *COLLECTING)
# The departures of players are stored a few at a time, when a whole room goes home.
_STORED_AT_ONCE = 25


class Watcher:
    """Watches a game for one room.

    All methods are for the event loop, unless they say otherwise.
    """

    def __init__(self, room: Room, setup: LiveSetup) -> None:
        service = setup.service
        self._room = room
        self._setup = setup
        self._pace = setup.pace
        self._service = service
        self._thread = setup.run
        self._game_id = room.key
        self._processes = ProcessItems(service.context, room.key, is_alone=setup.is_alone)
        self._presence = Presence()
        self._publisher = Publisher(room, setup)
        # The newest state that was written in this process.
        self._written: GameState | None = None
        self._changes = 0
        self._handled_changes = 0
        self._read_at = 0.0
        self._exchanged_at = -setup.pace.exchange
        self._next_exchange = 0.0
        self._has_new_answers = False
        self._host_seen_at = service.context.clock()
        self._counting: asyncio.TimerHandle | None = None
        self._look: asyncio.TimerHandle | None = None

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

        Call it from any thread. A closed question is counted next, and a newer state follows.
        """
        if self._written is None or self._written.version < state.version:
            self._written = state
        return state.closed_at is None

    def note_stored(self, item: GameState | Process) -> None:
        """Note what any process has written."""
        snapshot = self._snapshot
        if isinstance(item, Process):
            if item.process_id == self._service.context.process_id:
                return
            self._next_exchange = 0.0
        elif snapshot is not None and item.version <= snapshot.state.version:
            return
        self._room.wake()

    def players(self) -> Mapping[str, Player]:
        """Return the players as of the last change. Call it from any thread."""
        snapshot = self._snapshot
        return snapshot.players if snapshot else {}

    def play(self) -> Play | None:
        """Return the game with the newest state that this process knows. Call it as `players`."""
        snapshot, written = self._snapshot, self._written
        if snapshot is None:
            return None
        if written is not None and written.version > snapshot.state.version:
            return replace(snapshot.play, state=written)
        return snapshot.play

    def note_joined(self, member: Member) -> None:
        """Count a new member."""
        self._presence.add(member)
        self._presence_changed()

    def note_left(self, member: Member) -> None:
        """Stop counting a member, and close the question if all others have answered."""
        self._presence.remove(member, self._service.context.clock())
        if is_player(member):
            self._settle()
        self._presence_changed()

    def note_receipt(self, player_id: str, question_id: str, phase: Phase) -> None:
        """Count a player's answer or vote, unless it is a repetition that came too late."""
        snapshot = self._snapshot
        if snapshot is None:
            return
        is_survey = snapshot.game.type is EngagementType.SURVEY
        asked = snapshot.state.played if is_survey else [snapshot.state.question_id]
        if question_id in asked and phase.value == round_of(snapshot.state)[1]:
            self._note_answer(player_id, question_id)

    def count_reaction(self, emoji: messages.Emoji) -> messages.ReactionCounts:
        """Count a reaction, and return how often each was sent."""
        return self._publisher.count_reaction(emoji)

    @property
    def _snapshot(self) -> Snapshot | None:
        """Return the snapshot that was published last."""
        last = self._publisher.last
        return last.snapshot if last else None

    def _note_answer(self, player_id: str, question_id: str) -> None:
        """Count a player's answer or vote, and close the question after the last one."""
        # Live counts change with an opinion, too.
        self._has_new_answers = True
        self._look_soon()
        if self._presence.add_answer(player_id, question_id):
            self._count_soon()
            if self._is_all_done():
                self._room.wake()
            elif self._presence.others:
                self._exchange_soon()

    def _note_answers(self, player_id: str, question_ids: Iterable[str]) -> None:
        for question_id in question_ids:
            self._note_answer(player_id, question_id)

    def _presence_changed(self) -> None:
        self._publisher.update_presence(self._presence)
        self._count_soon()
        self._exchange_soon()

    def _settle(self) -> None:
        """Wait for returning players before the others count as all."""
        self._presence.settled_at = asyncio.get_running_loop().time() + self._pace.settle

    def _is_all_done(self) -> bool:
        snapshot = self._snapshot
        now = asyncio.get_running_loop().time()
        return snapshot is not None and self._presence.is_complete(snapshot, now)

    def _count_soon(self) -> None:
        """Send counters in a moment: thousands may answer or join within a second."""
        if self._counting is None:
            later = asyncio.get_running_loop().call_later
            self._counting = later(self._publisher.fast_interval(), self._show_counts)

    def _show_counts(self) -> None:
        self._counting = None
        self._publisher.update_progress(self._presence)
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

    async def snapshot(self, member: Member) -> tuple[str, object]:
        """Return the first message for a client."""
        state, answered = await self._publisher.initial_state(member)
        self._note_answers(member.id, answered)
        return "initialStateSync", state

    # -------------------------------------------------------------------------- the loop

    async def run(self) -> None:
        """Watch until the room is closed."""
        self._publisher.update_reactions()
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
            self._publisher.close()
            for timer in filter(None, (self._counting, self._look)):
                timer.cancel()
            self._presence.remove_all_players(self._service.context.clock())
            with suppress(RuntimeError):  # the interpreter is exiting
                self._setup.threads.submit(self._processes.leave)
                self._setup.threads.submit(self._store_left)

    async def _tick(self) -> None:
        if self._look is not None:
            self._look.cancel()
            self._look = None
        loop, state, shown = asyncio.get_running_loop(), await self._read_state(), self._snapshot
        if shown is None or state.version != shown.state.version:
            await self._show_phase(state)
        if loop.time() >= self._next_exchange:
            self._exchanged_at = loop.time()
            interval = self._pace.idle if self._setup.is_told else self._pace.exchange
            self._next_exchange = self._exchanged_at + interval
            if await self._exchange():
                self._handled_changes = -1
            if self._presence.left:
                await self._thread(self._store_left)
        if self._handled_changes != self._changes and loop.time() >= self._publisher.next_changes:
            handled = self._changes
            await self._publisher.show_changes(state, self._presence)
            self._handled_changes = handled
            if self._presence.others:
                self._exchange_soon()
        self._publisher.update_progress(self._presence)
        self._publisher.update_presence(self._presence)
        is_complete = self._is_all_done()
        if is_complete and not self._setup.is_alone:
            # The others may have had players since the last exchange.
            await self._exchange()
            is_complete = self._is_all_done()
        if is_complete:
            await self._command(state, Command.ALL_DONE)
        elif self._has_new_answers and loop.time() >= self._publisher.next_answers:
            self._has_new_answers = False
            await self._publisher.show_answers(self._presence)
        await self._check_absence(state)

    async def _read_state(self) -> GameState:
        """Return the state after doing what is due, or raise NotFound if the game was deleted."""
        now, snapshot = asyncio.get_running_loop().time(), self._snapshot
        if self._setup.is_alone and snapshot and now < self._read_at + self._pace.idle:
            state, written = snapshot.state, self._written
            is_newest = written is None or written.version <= state.version
            if is_newest and not is_due(state, self._service.context.clock()):
                return state
        self._read_at = now
        return await self._thread(self._service.rounds.finish_due, self._game_id)

    async def _show_phase(self, state: GameState) -> None:
        """Show a new state, and count the answers to its question that are stored already."""
        before, is_fresh = self._snapshot, self._changes != self._handled_changes
        answered = await self._publisher.show_phase(state, self._presence, fresh=is_fresh)
        if before is None and state.phase in COLLECTING:
            # This process is new: the first phone that is back is not the only one.
            self._settle()
        if begins_round(before, state):
            self._presence.begin_round()
        for player_id, question_ids in answered.items():
            self._note_answers(player_id, question_ids)

    def _wait(self) -> float:
        """Return how many seconds to sleep until something is due, or may have changed."""
        snapshot = self._snapshot
        if snapshot is None:
            return self._pace.poll
        state, loop = snapshot.state, asyncio.get_running_loop()
        settled_at = self._presence.settled_at
        # Other processes may have a host who goes on.
        is_busy = self._presence.others or state.phase in _RUNNING
        waits = [self._pace.poll if is_busy and not self._setup.is_told else self._pace.idle]
        if self._handled_changes != self._changes or self._has_new_answers or self._is_all_done():
            waits.append(self._pace.exchange)
        if settled_at > loop.time():
            waits.append(settled_at - loop.time())
        if (due := due_at(state)) is not None:
            waits.append((due - self._service.context.clock()).total_seconds())
        return max(0.001, min(waits))

    async def _command(self, state: GameState, command: Command) -> None:
        """Move the game on, unless it has changed; the next tick shows it."""
        rounds = self._service.rounds
        await self._thread(lambda: rounds.command(self._game_id, command, version=state.version))
        self._room.wake()

    async def _check_absence(self, state: GameState) -> None:
        """Go on or end, as the settings say, when no host has been here for a minute."""
        snapshot, now = self._snapshot, self._service.context.clock()
        assert snapshot is not None
        if self._presence.counts(snapshot.state).hosts:
            self._host_seen_at = now
            return
        policy = snapshot.game.settings.host_absence
        if command := command_without_host(policy, state, self._host_seen_at, now):
            await self._command(state, command)

    # -------------------------------------------------------------------------- other processes

    async def _exchange(self) -> bool:
        """Exchange counts with other processes; return whether they have changed something."""
        snapshot, presence = self._snapshot, self._presence
        assert snapshot is not None
        counts = presence.own_counts()
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
        before = sum(other.players for other in presence.others)
        presence.others, has_changed = await self._thread(self._processes.exchange, own)
        after = sum(other.players for other in presence.others)
        if after < before:
            self._settle()
        if snapshot.state.phase in COLLECTING and after:
            # Players who are connected there may have answered.
            self._has_new_answers = True
        return has_changed

    def _store_left(self) -> None:
        """Store when players have left. Call it in a thread."""
        left = self._presence.left
        for player_id in list(left)[:_STORED_AT_ONCE]:
            if left_at := left.pop(player_id, None):
                with suppress(ConditionFailed):  # the game was deleted
                    self._service.players.touch(self._game_id, player_id, left_at)
