"""Many threads that vote: through the service, or with the writes of a vote and nothing else."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

from benchmarks.measuring.expect import expect
from singletable import Driver, Item, Put, TransactWriteItem, TransactWriteItems, Update
from singletable_apps.polls.entities import polls
from singletable_apps.polls.rules import Draft
from singletable_apps.polls.service import Polls, Voter

OPTIONS = ["Go", "Kotlin", "Python", "Rust", "Zig"]
LANES = 8


def through_the_service(service: Polls, voters: int, threads: int) -> float:
    """Seconds until all have voted."""
    poll = service.making.make(Draft("Best language", OPTIONS)).poll
    chance = random.Random(1)
    ranked = [chance.sample(OPTIONS, chance.randint(1, len(OPTIONS))) for _ in range(voters)]

    def vote(number: int) -> None:
        service.voting.cast(poll.id, ranked[number], Voter(browser=str(number)))

    took = _all(vote, voters, threads)
    expect(service.counting.recount(poll).votes, voters)
    return took


def writes_alone(driver: Driver, voters: int, threads: int) -> float:
    """Seconds for as many transactions of the same three writes, without a condition or a look."""

    def write(number: int) -> None:
        lane = f"POLL#7#LANE#{number % LANES}"
        vote: Item = {
            "PK": {"S": "POLL#7"},
            "SK": {"S": f"VOTE#{uuid4()}"},
            "rankings": {"L": [{"S": name} for name in OPTIONS]},
            "votedAt": {"S": "2026-11-15T10:00:00.000000Z"},
        }
        line: Item = {
            "PK": {"S": lane},
            "SK": {"S": f"LINE#{number:010}"},
            "order": {"S": "0 1 2 3 4"},
        }
        counted = Update(
            polls.name,
            {"PK": {"S": lane}, "SK": {"S": "METADATA"}},
            update_expression="ADD n :one",
            expression_attribute_values={":one": {"N": "1"}},
        )
        driver.execute(
            TransactWriteItems(
                [
                    TransactWriteItem(put=Put(polls.name, vote)),
                    TransactWriteItem(update=counted),
                    TransactWriteItem(put=Put(polls.name, line)),
                ]
            )
        )

    return _all(write, voters, threads)


def _all(act: Callable[[int], None], times: int, threads: int) -> float:
    with ThreadPoolExecutor(threads) as pool:
        began = time.perf_counter()
        list(pool.map(act, range(times)))
        return time.perf_counter() - began
