"""The answers or votes of a process, stored in batches.

While a batch is being stored, further ones wait and become the next batch, whatever their game. So
a quiet server has no delay, and a busy one has a few requests per hundred answers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

from singletable_apps.games.errors import AppError, Busy
from singletable_apps.games.service.answers import Receipt, Submission, VoteSubmission

Sent: TypeAlias = Submission | VoteSubmission
S = TypeVar("S", Submission, VoteSubmission)
Results: TypeAlias = list[Receipt | AppError]
# Answers that wait in this process. A client that is rejected tries again.
MAX_WAITING = 20_000
_BATCH = 300
# Seconds after a batch in which others come: a larger batch takes less time for each answer.
_PAUSE = 0.02


class AnswerQueue(Generic[S]):
    """Stores answers or votes, a few batches `at_once`. All methods are for the event loop."""

    def __init__(
        self, store: Callable[[Sequence[tuple[str, S]]], Awaitable[Results]], at_once: int
    ) -> None:
        self._store: Callable[[Sequence[tuple[str, S]]], Awaitable[Results]] = store
        self._at_once = at_once
        self._waiting: deque[tuple[tuple[str, S], asyncio.Future[Receipt]]] = deque()
        self._workers: set[asyncio.Task[None]] = set()

    async def submit(self, game_id: str, sent: S) -> Receipt:
        """Store an answer or a vote, or raise an error that says why not."""
        if len(self._waiting) >= MAX_WAITING:
            raise Busy("Too many answers arrive right now. Send yours again in a moment.")
        receipt: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self._waiting.append(((game_id, sent), receipt))
        if len(self._workers) < self._at_once:
            self._workers.add(asyncio.create_task(self._work()))
        return await receipt

    async def _work(self) -> None:
        """Store batches until nothing waits."""
        worker = asyncio.current_task()
        assert worker is not None
        try:
            while self._waiting:
                await self._store_batch()
                await asyncio.sleep(_PAUSE)
        finally:
            # At once: an answer that comes in the next moment needs a new worker.
            self._workers.discard(worker)

    async def _store_batch(self) -> None:
        """Store the next waiting answers. A sender that has left gets no receipt."""
        batch = [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]
        try:
            results: Sequence[Receipt | Exception] = await self._store([sent for sent, _ in batch])
        except Exception as error:
            results = [error] * len(batch)
        for (_, receipt), result in zip(batch, results, strict=True):
            if receipt.done():
                continue
            if isinstance(result, Exception):
                receipt.set_exception(result)
            else:
                receipt.set_result(result)
