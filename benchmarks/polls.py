"""Polls: what a result reads, how fast votes are written, and voters with one-time codes."""

from __future__ import annotations

import json
import random
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from benchmarks.harness.measurement import Scale, expect, show_progress, temporary_folder
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_milliseconds,
    format_rate,
    format_ratio,
)
from benchmarks.harness.workload import batches
from benchmarks.http_load.crowd import PostRequest, send_all, serve_app
from dynamodb_engine import (
    Driver,
    GetItem,
    Item,
    Put,
    TransactWriteItem,
    TransactWriteItems,
    Update,
)
from singletable import CallStats, connect
from singletable_apps.polls.entities import (
    LaneEntry,
    Poll,
    PollSettings,
    Protection,
    Vote,
    VotingLane,
    polls,
)
from singletable_apps.polls.patterns import patterns
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Polls, Voter, open_polls
from singletable_apps.polls.tally import Tally as Sums
from singletable_apps.polls.tally import encode_ranking, is_snapshot_due, lane_for
from singletable_apps.polls.tokens import Secret

CLAIM = "a result of 100,000 votes costs at most a tenth of the units of reading all votes"
READS = Target(at_most=0.1)
DURATION = Target(at_most=10, unit=" s")
THREADS, CONNECTIONS = 32, 64
OPTIONS = ["Go", "Kotlin", "Python", "Rust", "Zig"]
LANES = 8
SECRET = Secret(b"a secret for the benchmark alone")

Counts = Mapping[str, int]


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure results, then votes, then voters over HTTP."""
    yield _results(scale)
    with temporary_folder() as folder:
        yield _votes(folder, scale.clients)
        yield _voters_over_http(folder, scale.clients // 2)


def _results(scale: Scale) -> ReportTable:
    """Measure the result of two polls while they grow."""
    rows: list[list[str]] = []
    sizes = sorted({scale.few, min(scale.few * 10, scale.stored), scale.stored})
    for options in (5, 10):
        with connect("memory:") as driver:
            service = open_polls(driver, SECRET)
            names = [f"Option {number}" for number in range(1, options + 1)]
            poll = service.lifecycle.create(PollDraft("Which?", names)).poll
            filler = PollFiller(driver, service, poll)
            rows += [_result_row(filler, votes, scale) for votes in sizes]
    return ReportTable(
        "A result: read units of a new process, and of one that has read it before",
        [
            "options, votes",
            "snapshot only",
            "and most lines",
            "second read",
            "all votes",
            "ratio",
            f"target from {scale.stored:,} votes",
        ],
        rows,
        [
            "Milliseconds in parentheses: reading and adding up, in memory. Voters rank any number "
            "of options in any order, all equally likely, which gives the largest snapshots. "
            "'Most lines' is just before the next snapshot; the ratio is of that to all votes. All "
            "reads of a row gave the same counts.",
        ],
    )


def _result_row(filler: PollFiller, votes: int, scale: Scale) -> list[str]:
    """Read the result, add votes, and read it in a new process; compare with all votes."""
    driver, poll = filler.driver, filler.poll
    show_progress(f"{votes:,} votes over {len(poll.candidates)} options")
    filler.fill(votes - filler.votes)
    first_read(driver, poll)
    best = first_read(driver, poll)
    expect(sum(best.counts.values()), filler.votes)
    filler.fill(max_lines(best.counts))
    worst, again, every = (
        first_read(driver, poll),
        second_read(driver, poll),
        read_all_votes(driver, poll),
    )
    expect(worst.counts, every.counts)
    expect(again.counts, every.counts)
    expect(sum(every.counts.values()), filler.votes)
    ratio = worst.units / every.units
    return [
        f"{len(poll.candidates)}, {votes:,}",
        *(
            f"{cost.units:,.0f} ({format_milliseconds(cost.seconds)})"
            for cost in (best, worst, again, every)
        ),
        format_ratio(ratio),
        READS.verdict(ratio) if votes >= scale.stored else "",
    ]


def _votes(folder: Path, voters: int) -> ReportTable:
    with connect(f"file:{folder / 'votes.db'}") as driver:
        service = open_polls(driver, SECRET)
        bare = time_bare_writes(driver, voters, THREADS)
        seconds = time_service(service, voters, THREADS)
    return ReportTable(
        f"{voters:,} votes by {THREADS} threads, on a durable file",
        ["", "total", "rate"],
        [
            ["the service", f"{seconds:.1f} s", format_rate(voters / seconds)],
            ["only the three writes of each", f"{bare:.1f} s", format_rate(voters / bare)],
            ["ratio", format_ratio(seconds / bare), ""],
        ],
        ["A recount found every vote once."],
    )


def _voters_over_http(folder: Path, voters: int) -> ReportTable:
    poll, requests = _create_poll_with_codes(folder, voters)
    with serve_app("polls", folder) as port:
        result = send_all(port, requests, CONNECTIONS)
    expect(len({str(json.loads(body)["id"]) for body in result.bodies}), voters)
    with connect(f"file:{folder / 'polls.db'}") as driver:
        recount = open_polls(driver, SECRET).tallies.recount(poll)
    expect((recount.votes, recount.agrees), (voters, True))
    return ReportTable(
        f"{voters:,} voters with one-time codes over HTTP, {CONNECTIONS} connections, durable",
        ["", "total", "rate", "p50", "p99", "target"],
        [
            [
                "the service",
                f"{result.seconds:.1f} s",
                format_rate(voters / result.seconds),
                f"{format_milliseconds(result.percentile(0.5))} ms",
                f"{format_milliseconds(result.percentile(0.99))} ms",
                DURATION.verdict(result.seconds),
            ]
        ],
        [f"There are exactly {voters:,} votes, and the result counts each of them."],
    )


def _create_poll_with_codes(folder: Path, voters: int) -> tuple[Poll, list[PostRequest]]:
    """Create a poll with a code for each voter; return it and the request of each voter."""
    generator = random.Random(1)
    with connect(f"file:{folder / 'polls.db'}") as driver:
        service = open_polls(driver, SECRET)
        own = service.lifecycle.create(
            PollDraft("Best language", OPTIONS, settings=PollSettings(protection=Protection.CODES))
        )
        codes = service.codes.issue(own.poll.id, own.admin_key, voters)
    return own.poll, [
        PostRequest(
            f"/api/polls/{own.poll.id}/vote",
            json.dumps({"rankings": generator.sample(OPTIONS, 3), "code": code}),
        )
        for code in codes
    ]


@dataclass(slots=True)
class PollFiller:
    """Adds votes that rank any number of options in any order, all equally likely: the worst case.

    The service casts the first vote; all others are copies of its items with another voter and
    ranking.
    """

    driver: Driver
    service: Polls
    poll: Poll
    votes: int = 0
    ends: list[int] = field(default_factory=list[int])
    generator: random.Random = field(default_factory=lambda: random.Random(1))

    def fill(self, votes: int) -> None:
        """Add this many votes."""
        if not self.votes:
            self._cast_first()
            votes -= 1
        for batch in batches(self._items(votes), polls.name):
            self.driver.execute(batch)
        for number, end in enumerate(self.ends):
            self.service.context.store.update(
                VotingLane.key(self.poll.id, number), VotingLane.entries.set(end)
            )

    def _cast_first(self) -> None:
        first = self.service.voting.cast(self.poll.id, self._ranking(), Voter(browser="0"))
        self.votes = 1
        self.ends = [0] * self.poll.lanes
        self.ends[lane_for(first.vote.id, self.poll.lanes)] = 1

    def _items(self, votes: int) -> Iterator[Item]:
        vote_template, line_template = self._first_items()
        for number in range(self.votes, self.votes + votes):
            vote_id = self.service.context.secret.vote_id(self.poll.id, "browser", str(number))
            lane = lane_for(vote_id, self.poll.lanes)
            self.ends[lane] += 1
            ranked = self._ranking()
            vote: Item = {"id": {"S": vote_id}, "rankings": {"L": [{"S": name} for name in ranked]}}
            line: Item = {
                "lane": {"N": str(lane)},
                "number": {"N": str(self.ends[lane])},
                "order": {"S": encode_ranking(self.poll, ranked)},
            }
            yield vote_template | Vote.key(self.poll.id, vote_id).key | vote
            yield line_template | LaneEntry.key(self.poll.id, lane, self.ends[lane]).key | line
        self.votes += votes

    def _first_items(self) -> tuple[Item, Item]:
        """Return the items that the first vote wrote."""
        vote_id = self.service.context.secret.vote_id(self.poll.id, "browser", "0")
        lane = lane_for(vote_id, self.poll.lanes)
        keys = Vote.key(self.poll.id, vote_id).key, LaneEntry.key(self.poll.id, lane, 1).key
        vote, line = (self.driver.execute(GetItem(polls.name, key)).item for key in keys)
        assert vote is not None
        assert line is not None
        return vote, line

    def _ranking(self) -> list[str]:
        options = self.poll.candidates
        return self.generator.sample(options, self.generator.randint(1, len(options)))


@dataclass(frozen=True, slots=True)
class ReadCost:
    """The counts of a result, and the read units and seconds it took."""

    counts: Counts
    units: float
    seconds: float


def first_read(driver: Driver, poll: Poll) -> ReadCost:
    """Read the result in a process that has never read it."""
    return _measure_read(driver, lambda service: lambda: _tally(service, poll))


def second_read(driver: Driver, poll: Poll) -> ReadCost:
    """Read the result in a process that has just read it."""

    def prepare(service: Polls) -> Callable[[], Counts]:
        _tally(service, poll)
        return lambda: _tally(service, poll)

    return _measure_read(driver, prepare)


def read_all_votes(driver: Driver, poll: Poll) -> ReadCost:
    """Count by reading every vote."""
    return _measure_read(driver, lambda service: lambda: _count_votes(service, poll))


def max_lines(counts: Counts) -> int:
    """Return how many votes follow a snapshot before the next one is written."""
    snapshot = Sums((0,), counts)
    return bisect_left(
        range(1, 1_000_000),
        True,
        key=lambda lines: is_snapshot_due(snapshot, Sums((lines,), counts)),
    )


def _tally(service: Polls, poll: Poll) -> Counts:
    return service.tallies.get(poll).counts


def _count_votes(service: Polls, poll: Poll) -> Counts:
    votes = service.context.store.query(Vote.key.partition(poll.id), consistent=True)
    return Counter(encode_ranking(poll, vote.rankings) for vote in votes)


def _measure_read(driver: Driver, prepare: Callable[[Polls], Callable[[], Counts]]) -> ReadCost:
    """Measure the time first, then the units: the observer would take time of its own."""
    read = prepare(open_polls(driver, SECRET, make_table=False))
    started = time.perf_counter()
    counts = read()
    seconds = time.perf_counter() - started
    stats = CallStats(patterns)
    read = prepare(open_polls(driver, SECRET, make_table=False, observers=[stats]))
    stats.reset()
    read()
    return ReadCost(counts, sum(call.read_units for call in stats.snapshot()), seconds)


def time_service(service: Polls, voters: int, threads: int) -> float:
    """Return the seconds until the service has recorded all votes."""
    poll = service.lifecycle.create(PollDraft("Best language", OPTIONS)).poll
    generator = random.Random(1)
    rankings = [
        generator.sample(OPTIONS, generator.randint(1, len(OPTIONS))) for _ in range(voters)
    ]

    def vote(number: int) -> None:
        service.voting.cast(poll.id, rankings[number], Voter(browser=str(number)))

    seconds = _run_in_threads(vote, voters, threads)
    expect(service.tallies.recount(poll).votes, voters)
    return seconds


def time_bare_writes(driver: Driver, voters: int, threads: int) -> float:
    """Return the seconds for as many transactions of the same writes, without conditions."""

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
        counter = Update(
            polls.name,
            {"PK": {"S": lane}, "SK": {"S": "METADATA"}},
            update_expression="ADD n :one",
            expression_attribute_values={":one": {"N": "1"}},
        )
        driver.execute(
            TransactWriteItems(
                [
                    TransactWriteItem(put=Put(polls.name, vote)),
                    TransactWriteItem(update=counter),
                    TransactWriteItem(put=Put(polls.name, line)),
                ]
            )
        )

    return _run_in_threads(write, voters, threads)


def _run_in_threads(work: Callable[[int], None], times: int, threads: int) -> float:
    with ThreadPoolExecutor(threads) as pool:
        started = time.perf_counter()
        list(pool.map(work, range(times)))
        return time.perf_counter() - started
