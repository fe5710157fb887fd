"""The queue of answers: batches of all games, and no answer that waits for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from singletable_apps.games.errors import AppError, Busy
from singletable_apps.games.live import answer_queue
from singletable_apps.games.live.answer_queue import AnswerQueue
from singletable_apps.games.service.answers import Outcome, Receipt, Submission
from tests.apps.shared.rooms.clients import in_event_loop

SENT = Submission("ada", "001", datetime(2026, 3, 1, tzinfo=UTC))


class Storage:
    """Accepts all answers but those of the game "full", and notes the batches."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    async def store(self, sent: Sequence[tuple[str, Submission]]) -> list[Receipt | AppError]:
        self.batches.append([game_id for game_id, _ in sent])
        await asyncio.sleep(0)
        return [Busy("No") if game == "full" else Receipt(Outcome.ACCEPTED) for game, _ in sent]


@in_event_loop
async def test_answers_of_all_games_share_a_batch_and_have_results_of_their_own() -> None:
    storage = Storage()
    queue = AnswerQueue[Submission](storage.store, 1)
    answers = [queue.submit(game_id, SENT) for game_id in ("one", "full", "two")]
    results = await asyncio.gather(*answers, return_exceptions=True)
    assert storage.batches == [["one", "full", "two"]]
    assert [type(each) for each in results] == [Receipt, Busy, Receipt]


@pytest.mark.parametrize("steps", range(8))
def test_answer_in_any_moment_after_the_last_one_is_stored(
    monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    monkeypatch.setattr(answer_queue, "_PAUSE", 0)

    async def submit_twice() -> None:
        queue = AnswerQueue[Submission](Storage().store, 1)
        await queue.submit("one", SENT)
        for _ in range(steps):
            await asyncio.sleep(0)
        async with asyncio.timeout(10):
            await queue.submit("one", SENT)

    asyncio.run(submit_twice())
