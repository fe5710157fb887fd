"""The live games of a process: rooms with their watchers, and the messages of clients."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import TypeAlias

from singletable import Engine, SingleTableError
from singletable_apps.games.entities import Game, GameState, Player, Round
from singletable_apps.games.errors import AppError, Busy, NotPermitted
from singletable_apps.games.live.answer_queue import AnswerQueue, Sent
from singletable_apps.games.live.messages import (
    AnswerReceipt,
    AnswerSent,
    CommandSent,
    ExtendSent,
    Payload,
    StateReached,
    StoredAnswer,
    VoteReceipt,
    VoteSent,
    error_reply,
    read_payload,
)
from singletable_apps.games.live.processes import announce_change
from singletable_apps.games.live.watcher import ROLES, Attendee, Pace, Watcher
from singletable_apps.games.phases import HOST_COMMANDS, Phase
from singletable_apps.games.service import GamesService
from singletable_apps.games.service.answers import Outcome, Receipt, Submission, VoteSubmission
from singletable_apps.games.tokens import Role, Seat, new_id
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
_THREADS = 8


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
        self._pace = pace or Pace()
        self._threads = threads or ThreadPoolExecutor(_THREADS, thread_name_prefix="games")
        driver = service.context.store.driver
        is_embedded = isinstance(driver, Engine) and driver.is_embedded
        self._queue = AnswerQueue(service.answers, self._threads, is_embedded=is_embedded)
        self._watchers: dict[str, Watcher] = {}
        self.rooms = Rooms(
            self._open,
            limits=limits,
            key_name="gameId",
            joined=self._joined,
            left=self._left,
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

    async def snapshot(self, member: Member) -> tuple[str, object]:
        """Return the first message for a member."""
        assert isinstance(member, Attendee)
        return await self._watchers[member.seat.game_id].snapshot(member)

    # -------------------------------------------------------------------------- rooms

    def _open(self, room: Room) -> None:
        watcher = self._watchers[room.key] = Watcher(room, self._service, self._threads, self._pace)

        async def watch() -> None:
            try:
                await watcher.run()
            finally:
                if self._watchers.get(room.key) is watcher:
                    del self._watchers[room.key]

        room.run(watch())

    def _joined(self, room: Room, member: Member) -> None:
        self._watchers[room.key].note_joined(member)

    def _left(self, room: Room, member: Member) -> None:
        self._watchers[room.key].note_left(member)

    def _note(self, item: Changed) -> None:
        """Let the watcher of a game look again, here and in other processes."""
        watcher = self._watchers.get(item.game_id)
        if watcher is not None:
            if isinstance(item, GameState) or watcher.note_change():
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
                return error_reply(error)
            except SingleTableError:
                return error_reply(Busy("The server is very busy. Try again in a moment."))

        return receive

    async def _handle(self, seat: Seat, message: ClientMessage) -> Payload:
        now, game_id, rounds = self._service.context.clock(), seat.game_id, self._service.rounds
        match read_payload(message):
            case AnswerSent(question_id, text, choices, number):
                sent = Submission(
                    seat.player_id, question_id, now, text, choices, number, message.id
                )
                receipt = await self.submit(seat, sent)
                stored = StoredAnswer.of(receipt.answer) if receipt.answer else None
                return AnswerReceipt(receipt.outcome, stored)
            case VoteSent(question_id, ranking):
                ballot = VoteSubmission(seat.player_id, question_id, now, ranking, message.id)
                return VoteReceipt((await self.submit(seat, ballot)).outcome)
            case _ if not seat.can_drive:
                raise NotPermitted("Only hosts can do this.")
            case ExtendSent(seconds, version):
                return await self._drive(
                    game_id, lambda: rounds.extend(game_id, seconds, version=version)
                )
            case CommandSent(command, version):
                if command not in HOST_COMMANDS:
                    raise NotPermitted("Only the server can do this.")
                return await self._drive(
                    game_id, lambda: rounds.command(game_id, command, version=version)
                )

    async def submit(self, seat: Seat, sent: Sent) -> Receipt:
        """Store an answer or a vote of a player, or raise an error that says why not."""
        if seat.role is not Role.PLAYER:
            raise NotPermitted("Only players can do this.")
        watcher = self._watchers.get(seat.game_id)
        player = watcher.player(seat.player_id) if watcher else None
        receipt = await self._queue.submit(seat.game_id, sent, player)
        is_partial = receipt.vote is not None and receipt.vote.is_partial
        if watcher is not None and receipt.outcome is not Outcome.LATE and not is_partial:
            phase = Phase.OPEN if isinstance(sent, Submission) else Phase.VOTING
            watcher.note_receipt(seat.player_id, sent.question_id, phase)
        return receipt

    async def _drive(self, game_id: str, work: Callable[[], GameState]) -> StateReached:
        state = await asyncio.get_running_loop().run_in_executor(self._threads, work)
        self.rooms.wake(game_id)
        return StateReached(state.phase, state.version)
