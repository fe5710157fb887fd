"""Polls: what a result reads, how fast votes come in, and a crowd with one-time codes."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.crowd.asking import Asked, ask_all
from benchmarks.crowd.served import served
from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.expect import expect
from benchmarks.measuring.progress import progress
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.scratch import scratch
from benchmarks.measuring.table import Table
from benchmarks.polling.filling import Filling
from benchmarks.polling.reading import all_votes, first_look, most_lines, next_look
from benchmarks.polling.server import SECRET
from benchmarks.polling.writing import OPTIONS, through_the_service, writes_alone
from singletable import connect
from singletable_apps.polls.entities import Poll, Protection
from singletable_apps.polls.rules import Draft
from singletable_apps.polls.service import open_polls

CLAIM = "a result of a hundred thousand votes is read for a tenth of what they take, or for less"
READS = Bar(at_most=0.1)
CROWD = Bar(at_most=10, unit=" s")
THREADS, AT_ONCE = 32, 64


def measure(scale: Scale) -> Iterable[Table]:
    """Results, then votes, then voters over HTTP."""
    yield _results(scale)
    with scratch() as folder:
        yield _votes(folder, scale.few)
        yield _crowd(folder, scale.few // 2)


def _results(scale: Scale) -> Table:
    """Two polls that grow, looked at on the way."""
    rows: list[list[str]] = []
    sizes = sorted({scale.few, min(scale.few * 10, scale.stored), scale.stored})
    for options in (5, 10):
        with connect("memory:") as driver:
            service = open_polls(driver, SECRET)
            names = [f"Option {number}" for number in range(1, options + 1)]
            filling = Filling(driver, service, service.making.make(Draft("Which?", names)).poll)
            rows += [_stage(filling, votes, scale) for votes in sizes]
    return Table(
        "A result: the read units of a process that has never looked, and of one that has",
        [
            "options, votes",
            "snapshot alone",
            "and most lines",
            "next look",
            "all votes",
            "ratio",
            f"bar from {scale.stored:,} votes",
        ],
        rows,
        [
            "Milliseconds in parentheses: reading and adding up, in memory. Voters rank any number "
            "of options in any order, all equally likely, which makes snapshots as large as they "
            "get. 'Most lines' is just before the next snapshot; the ratio is of that to all "
            "votes. Every reading of a row gave the same counts.",
        ],
    )


def _stage(filling: Filling, votes: int, scale: Scale) -> list[str]:
    """Somebody looks, others vote, a new process looks: and sees what all votes say."""
    driver, poll = filling.driver, filling.poll
    progress(f"{votes:,} votes over {len(poll.candidates)} options")
    filling.fill(votes - filling.votes)
    first_look(driver, SECRET, poll)
    best = first_look(driver, SECRET, poll)
    expect(sum(best.counts.values()), filling.votes)
    filling.fill(most_lines(best.counts))
    worst, again, every = (
        first_look(driver, SECRET, poll),
        next_look(driver, SECRET, poll),
        all_votes(driver, SECRET, poll),
    )
    expect(worst.counts, every.counts)
    expect(again.counts, every.counts)
    expect(sum(every.counts.values()), filling.votes)
    ratio = worst.units / every.units
    return [
        f"{len(poll.candidates)}, {votes:,}",
        *(
            f"{each.units:,.0f} ({units.milliseconds(each.seconds)})"
            for each in (best, worst, again, every)
        ),
        units.times(ratio),
        READS.verdict(ratio) if votes >= scale.stored else "",
    ]


def _votes(folder: Path, voters: int) -> Table:
    with connect(f"file:{folder / 'votes.db'}") as driver:
        service = open_polls(driver, SECRET)
        alone = writes_alone(driver, voters, THREADS)
        took = through_the_service(service, voters, THREADS)
    return Table(
        f"{voters:,} votes by {THREADS} threads, on a durable file",
        ["", "all of them", "rate"],
        [
            ["the service", f"{took:.1f} s", units.rate(voters / took)],
            ["the three writes of each, alone", f"{alone:.1f} s", units.rate(voters / alone)],
            ["the service to the writes alone", units.times(took / alone), ""],
        ],
        ["The recount found every vote once."],
    )


def _crowd(folder: Path, voters: int) -> Table:
    poll, asked = _invited(folder, voters)
    with served("benchmarks.polling.server", folder) as port:
        began = time.perf_counter()
        answers, waits = ask_all(port, asked, AT_ONCE)
        took = time.perf_counter() - began
    expect(len({str(json.loads(answer)["id"]) for answer in answers}), voters)
    with connect(f"file:{folder / 'polls.db'}") as driver:
        recount = open_polls(driver, SECRET).counting.recount(poll)
    expect((recount.votes, recount.agrees), (voters, True))
    waits.sort()
    return Table(
        f"{voters:,} voters with one-time codes over HTTP, {AT_ONCE} connections, durable",
        ["", "all of them", "rate", "p50", "p99", "bar"],
        [
            [
                "the service",
                f"{took:.1f} s",
                units.rate(voters / took),
                f"{units.milliseconds(waits[len(waits) // 2])} ms",
                f"{units.milliseconds(waits[int(len(waits) * 0.99)])} ms",
                CROWD.verdict(took),
            ]
        ],
        [f"There are exactly {voters:,} votes, and the result counts each of them."],
    )


def _invited(folder: Path, voters: int) -> tuple[Poll, list[Asked]]:
    """A poll with a code for each voter, and what each of them sends."""
    chance = random.Random(1)
    with connect(f"file:{folder / 'polls.db'}") as driver:
        service = open_polls(driver, SECRET)
        own = service.making.make(Draft("Best language", OPTIONS, protection=Protection.CODES))
        codes = service.making.issue_codes(own.poll.id, own.admin_key, voters)
    return own.poll, [
        Asked(
            f"/api/polls/{own.poll.id}/vote",
            json.dumps({"rankings": chance.sample(OPTIONS, 3), "code": code}),
            {},
        )
        for code in codes
    ]
