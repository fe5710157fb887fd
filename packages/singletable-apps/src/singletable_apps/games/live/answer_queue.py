"""The answers and votes of a process, stored in batches.

While a batch of a game is being stored, further ones wait and become the next batch. So a quiet
room has no delay, and a busy one has a few reads per hundred answers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TypeAlias

from singletable_apps.games.entities import Player
from singletable_apps.games.errors import AppError, Busy
from singletable_apps.games.service.answers import Answers, Receipt, Submission, VoteSubmission

Sent: TypeAlias = Submission | VoteSubmission
Results: TypeAlias = list[Receipt | AppError]
# Answers that wait in this process. A client that is rejected tries again.
MAX_WAITING = 20_000
_BATCH = 100
# Batches of a game at a time. The embedded engine computes in this process, where threads would
# only wait for each other; for a remote one they wait for the network.
_EMBEDDED_BATCHES, _REMOTE_BATCHES = 1, 4


@dataclass(frozen=True, slots=True)
class _Waiting:
    sent: Sent
    player: Player | None
    receipt: asyncio.Future[Receipt]


class AnswerQueue:
    """Stores answers and votes in threads. All methods are for the thread of the event loop."""

    def __init__(self, answers: Answers, threads: Executor, *, is_embedded: bool) -> None:
        self._answers = answers
        self._batches = _EMBEDDED_BATCHES if is_embedded else _REMOTE_BATCHES
        self._threads = threads
        self._waiting: dict[tuple[str, type[Sent]], deque[_Waiting]] = {}
        self._running: dict[tuple[str, type[Sent]], int] = {}
        self._count = 0

    async def submit(self, game_id: str, sent: Sent, player: Player | None = None) -> Receipt:
        """Store an answer or a vote, or raise an error that says why not.

        `player` is who has sent it, if that was read lately.
        """
        if self._count >= MAX_WAITING:
            raise Busy("Too many answers arrive right now. Send yours again in a moment.")
        key = (game_id, type(sent))
        loop = asyncio.get_running_loop()
        waiting = _Waiting(sent, player, loop.create_future())
        self._waiting.setdefault(key, deque()).append(waiting)
        self._count += 1
        self._start(key, loop)
        return await waiting.receipt

    def _start(self, key: tuple[str, type[Sent]], loop: asyncio.AbstractEventLoop) -> None:
        """Start a batch unless enough of them run."""
        waiting = self._waiting.get(key)
        running = self._running.get(key, 0)
        if not waiting:
            if not running:
                self._waiting.pop(key, None)
                self._running.pop(key, None)
            return
        if running >= self._batches:
            return
        batch = [waiting.popleft() for _ in range(min(_BATCH, len(waiting)))]
        self._running[key] = running + 1
        stored = loop.run_in_executor(self._threads, self._store, key[0], batch)

        def finish(done: asyncio.Future[Results]) -> None:
            self._running[key] -= 1
            self._count -= len(batch)
            _deliver(batch, done)
            self._start(key, loop)

        stored.add_done_callback(finish)

    def _store(self, game_id: str, batch: Sequence[_Waiting]) -> Results:
        answers = [each.sent for each in batch if isinstance(each.sent, Submission)]
        votes = [each.sent for each in batch if isinstance(each.sent, VoteSubmission)]
        known = {each.player.player_id: each.player for each in batch if each.player}
        if answers:
            return self._answers.submit_many(game_id, answers, known)
        return self._answers.vote_many(game_id, votes, known)


def _deliver(batch: Sequence[_Waiting], done: asyncio.Future[Results]) -> None:
    """Give each sender a receipt or an error. A sender that has left gets nothing."""
    error = done.exception()
    for index, waiting in enumerate(batch):
        if waiting.receipt.done():
            continue
        result = error or done.result()[index]
        if isinstance(result, BaseException):
            waiting.receipt.set_exception(result)
        else:
            waiting.receipt.set_result(result)
