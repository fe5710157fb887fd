"""The answers or votes of a process, stored in batches.

While a batch is being stored, further ones wait and become the next batch, whatever their game. So
a quiet server has no delay, and a busy one has a few requests per hundred answers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from singletable_apps.games.errors import AppError, Busy
from singletable_apps.games.service.answers import Receipt, Submission, VoteSubmission

Sent: TypeAlias = Submission | VoteSubmission
S = TypeVar("S", Submission, VoteSubmission)
Results: TypeAlias = list[Receipt | AppError]
# Answers that wait in this process. A client that is rejected tries again.
MAX_WAITING = 20_000
_BATCH = 300


class AnswerQueue(Generic[S]):
    """Stores answers or votes in threads of its own, a few batches `at_once`.

    All methods are for the thread of the event loop.
    """

    def __init__(self, store: Callable[[Sequence[tuple[str, S]]], Results], at_once: int) -> None:
        self._store = store
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="answers")
        self._at_once = at_once
        self._running = 0
        self._waiting: deque[tuple[tuple[str, S], asyncio.Future[Receipt]]] = deque()

    async def submit(self, game_id: str, sent: S) -> Receipt:
        """Store an answer or a vote, or raise an error that says why not."""
        if len(self._waiting) >= MAX_WAITING:
            raise Busy("Too many answers arrive right now. Send yours again in a moment.")
        receipt = asyncio.get_running_loop().create_future()
        self._waiting.append(((game_id, sent), receipt))
        self._start()
        return await receipt

    def _start(self) -> None:
        """Start a batch unless enough of them run."""
        if not self._waiting or self._running >= self._at_once:
            return
        batch = [self._waiting.popleft() for _ in range(min(_BATCH, len(self._waiting)))]
        self._running += 1
        run = asyncio.get_running_loop().run_in_executor
        stored = run(self._threads, self._store, [sent for sent, _ in batch])
        stored.add_done_callback(partial(self._finish, [receipt for _, receipt in batch]))

    def _finish(
        self, receipts: Sequence[asyncio.Future[Receipt]], done: asyncio.Future[Results]
    ) -> None:
        """Give each sender a receipt or an error. A sender that has left gets nothing."""
        self._running -= 1
        error = done.exception()
        for index, receipt in enumerate(receipts):
            result = error or done.result()[index]
            if receipt.done():
                continue
            if isinstance(result, BaseException):
                receipt.set_exception(result)
            else:
                receipt.set_result(result)
        self._start()
