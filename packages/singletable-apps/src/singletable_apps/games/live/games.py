"""The live games of a process: rooms with their watchers, and the messages of clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import TypeAlias

from singletable import SingleTableError
from singletable_apps.games.entities import Game, GameState, Player, Process, Round
from singletable_apps.games.errors import AppError, Busy, NotPermitted
from singletable_apps.games.live import messages
from singletable_apps.games.live.answer_queue import AnswerQueue, Sent
from singletable_apps.games.live.presence import ROLES, Attendee
from singletable_apps.games.live.processes import announce_change
from singletable_apps.games.live.setup import LiveSetup, Pace
from singletable_apps.games.live.watcher import Watcher
from singletable_apps.games.phases import HOST_COMMANDS, Phase
from singletable_apps.games.rules import Play
from singletable_apps.games.service import GamesService
from singletable_apps.games.service.answers import Outcome, Receipt, Submission, VoteSubmission
from singletable_apps.games.tokens import Role, Seat, new_id
from singletable_apps.shared.rate_limits import MovingWindow
from singletable_apps.shared.rooms import (
    ClientMessage,
    Member,
    Receiver,
    Reply,
    Room,
    RoomLimits,
    Rooms,
)

Changed: TypeAlias = Game | GameState | Player | Round
# A player who was away for longer gets a snapshot; logs of a thousand players take memory.
LIMITS = RoomLimits(log_events=32)
# The embedded engine computes in this process, where threads would only wait for each other; for a
# remote one they wait for the network.
_EMBEDDED_THREADS, _REMOTE_THREADS = 2, 8
# Seconds until a process looks again for a change feed that it did not find.
_FEED_RETRY = 30.0


class LiveGames:
    """Serves the rooms of one process. `attendee` gives a seat its place in a room."""

    def __init__(
        self,
        service: GamesService,
        limits: RoomLimits = LIMITS,
        pace: Pace | None = None,
        threads: Executor | None = None,
    ) -> None:
        self._service = service
        self._is_embedded = service.context.async_store is not None
        count = _EMBEDDED_THREADS if self._is_embedded else _REMOTE_THREADS
        threads = threads or ThreadPoolExecutor(count, thread_name_prefix="games")
        # Nobody else uses an embedded database.
        is_alone = self._is_embedded
        self._watchers: dict[str, Watcher] = {}
        self._setup = LiveSetup(
            service, threads, pace or Pace(), self._watchers, is_alone, is_told=is_alone
        )
        self._feed: asyncio.Task[None] | None = None
        # Two a second of each player, after a few at once.
        self._reactions = MovingWindow(6, 3)
        self._answers = AnswerQueue[Submission](self._store_answers, max(1, count // 2))
        self._votes = AnswerQueue[VoteSubmission](
            lambda sent: self._setup.run(service.answers.vote_many, sent, *self._known(sent)),
            max(1, count // 2),
        )
        self.rooms = Rooms(
            self._open,
            limits=limits,
            key_name="gameId",
            joined=lambda room, member: self._watchers[room.key].note_joined(member),
            left=self._note_left,
            clock=lambda: service.context.clock().timestamp(),
        )
        service.context.listeners.append(self._note)

    def attendee(self, seat: Seat, client: str = "") -> Attendee:
        """Return a member for a seat. `client` is the address of a browser that polls."""
        if seat.role is Role.PLAYER:
            channels = frozenset({"player", f"me:{seat.player_id}"})
            return Attendee(seat.player_id, channels, seat=seat)
        channel = seat.role.value if seat.role in ROLES.values() else "host"
        # The whole audience shares one link, so its connections cannot be limited per person.
        is_guest = seat.role is Role.AUDIENCE
        member_id = f"{seat.role}:{client or new_id()}"
        return Attendee(member_id, frozenset({channel}), is_guest, bool(client), seat=seat)

    def _note_left(self, room: Room, member: Member) -> None:
        # Someone's absence is noted some seconds later, when the game may have been deleted.
        if watcher := self._watchers.get(room.key):
            watcher.note_left(member)

    async def snapshot(self, member: Member) -> tuple[str, object]:
        """Return the first message for a member."""
        assert isinstance(member, Attendee)
        return await self._watchers[member.seat.game_id].snapshot(member)

    # -------------------------------------------------------------------------- rooms

    def _open(self, room: Room) -> None:
        watcher = self._watchers[room.key] = Watcher(room, self._setup)
        if self._feed is None and not self._is_embedded:
            self._feed = asyncio.create_task(self._follow())

        async def watch() -> None:
            try:
                await watcher.run()
            finally:
                if self._watchers.get(room.key) is watcher:
                    del self._watchers[room.key]
                if not self._watchers and self._feed is not None:
                    self._feed.cancel()
                    self._feed = None

        room.run(watch())

    async def _follow(self) -> None:
        """Tell watchers what other processes write, as long as rooms are open."""
        read = partial(self._service.context.store.changes, GameState, Process)
        position: int | None = None
        while True:
            try:
                found = await self._setup.run(read, after=position)
                position, self._setup.is_told = found.position, True
                for item in [change.new or change.old for change in found.changes]:
                    if item and (watcher := self._watchers.get(item.game_id)):
                        watcher.note_stored(item)
                await asyncio.sleep(self._setup.pace.poll)
            except SingleTableError:
                # DynamoDB has no feed, and this process may have been asleep for a day.
                position, self._setup.is_told = None, False
                await asyncio.sleep(_FEED_RETRY)

    def _note(self, item: Changed) -> None:
        """Let the watcher of a game look again, here and in other processes."""
        watcher = self._watchers.get(item.game_id)
        if watcher is not None:
            note_state, note_change = watcher.note_state, watcher.note_change
            if note_state(item) if isinstance(item, GameState) else note_change():
                self.rooms.wake(item.game_id)
        elif not isinstance(item, GameState):
            announce_change(self._service.context, item.game_id, item.expires_at)

    # -------------------------------------------------------------------------- messages

    def receiver(self, seat: Seat) -> Receiver:
        """Return the function that handles the messages of a seat."""

        async def receive(message: ClientMessage) -> Reply | None:
            try:
                return Reply(data=await self._handle(seat, message))
            except AppError as error:
                return messages.error_reply(error)
            except SingleTableError:
                return messages.error_reply(Busy("The server is very busy. Try again in a moment."))

        return receive

    async def _handle(self, seat: Seat, message: ClientMessage) -> messages.Payload:
        now, game_id, rounds = self._service.context.clock(), seat.game_id, self._service.rounds
        match messages.read_payload(message):
            case messages.AnswerSent(question_id, text, choices, number):
                sent = Submission(
                    seat.player_id, question_id, now, text, choices, number, message.id
                )
                receipt = await self.submit(seat, sent)
                stored = messages.StoredAnswer.of(receipt.answer) if receipt.answer else None
                return messages.AnswerReceipt(receipt.outcome, stored)
            case messages.VoteSent(question_id, ranking):
                ballot = VoteSubmission(seat.player_id, question_id, now, ranking, message.id)
                return messages.VoteReceipt((await self.submit(seat, ballot)).outcome)
            case messages.ReactionSent(emoji):
                return self._react(seat, emoji)
            case _ if not seat.can_drive:
                raise NotPermitted("Only hosts can do this.")
            case messages.ExtendSent(seconds, version):
                return await self._drive(
                    game_id, lambda: rounds.extend(game_id, seconds, version=version)
                )
            case messages.CommandSent(command, version):
                if command not in HOST_COMMANDS:
                    raise NotPermitted("Only the server can do this.")
                return await self._drive(
                    game_id, lambda: rounds.command(game_id, command, version=version)
                )

    async def submit(self, seat: Seat, sent: Sent) -> Receipt:
        """Store an answer or a vote of a player, or raise an error that says why not."""
        if seat.role is not Role.PLAYER:
            raise NotPermitted("Only players can do this.")
        if isinstance(sent, Submission):
            phase, receipt = Phase.OPEN, await self._answers.submit(seat.game_id, sent)
        else:
            phase, receipt = Phase.VOTING, await self._votes.submit(seat.game_id, sent)
        watcher = self._watchers.get(seat.game_id)
        is_partial = receipt.vote is not None and receipt.vote.is_partial
        if watcher is not None and receipt.outcome is not Outcome.LATE and not is_partial:
            watcher.note_receipt(seat.player_id, sent.question_id, phase)
        return receipt

    def _react(self, seat: Seat, emoji: messages.Emoji) -> messages.ReactionCounts:
        """Count a reaction of a player for the big screens of this process."""
        if seat.role is not Role.PLAYER:
            raise NotPermitted("Only players can do this.")
        if self._reactions.take(seat.player_id, asyncio.get_running_loop().time()):
            raise Busy("You have sent many reactions. Wait a moment.")
        watcher = self._watchers.get(seat.game_id)
        return watcher.count_reaction(emoji) if watcher else messages.ReactionCounts({})

    async def _store_answers(
        self, sent: Sequence[tuple[str, Submission]]
    ) -> list[Receipt | AppError]:
        service, known = self._service, self._known(sent)
        if (store := service.context.async_store) is not None:
            return await service.answers.submit_many_async(store, sent, *known)
        return await self._setup.run(service.answers.submit_many, sent, *known)

    def _known(
        self, sent: Iterable[tuple[str, Sent]]
    ) -> tuple[dict[str, Mapping[str, Player]], dict[str, Play]]:
        """Return the players of the games of these messages, and their newest states.

        Only in an embedded database is nobody else who changes the states. Call it in any thread.
        """
        watchers = {game_id: self._watchers.get(game_id) for game_id, _ in sent}
        found = {game_id: each for game_id, each in watchers.items() if each}
        plays = {game_id: each.play() for game_id, each in found.items() if self._is_embedded}
        return (
            {game_id: each.players() for game_id, each in found.items()},
            {game_id: play for game_id, play in plays.items() if play},
        )

    async def _drive(self, game_id: str, work: Callable[[], GameState]) -> messages.StateReached:
        state = await self._setup.run(work)
        self.rooms.wake(game_id)
        return messages.StateReached(state.phase, state.version)
