"""Elections: a thousand ballots over HTTP, and an election with ten thousand voters."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fastapi.testclient import TestClient

from benchmarks.harness.measurement import Scale, temporary_folder
from benchmarks.harness.report import (
    ReportTable,
    Target,
    format_milliseconds,
    format_rate,
    format_ratio,
)
from benchmarks.http_load.crowd import CrowdResult, PostRequest, send_all, serve_app
from dynamodb_engine import (
    Driver,
    Item,
    Put,
    PutItem,
    TransactWriteItem,
    TransactWriteItems,
    Update,
)
from singletable import CallStats, Observer, Store, connect
from singletable_apps.elections.app import APP
from singletable_apps.elections.archive import verify_log
from singletable_apps.elections.entities import Electorate, RollVoter, votes
from singletable_apps.elections.events import event_log
from singletable_apps.elections.keys import load_or_create_keys
from singletable_apps.elections.patterns import patterns
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.elections.rules.roll import RollLine
from singletable_apps.elections.service import Elections, ElectionSettings, open_elections
from singletable_apps.shared.accounts import Passwords

CLAIM = "a thousand voters vote within ten seconds over HTTP, durably, and no ballot is lost"
DURATION = Target(at_most=10, unit=" s")
CANDIDATES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"]
CONNECTIONS = 64


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure secret ballots over eight candidates on a durable file."""
    voters = scale.clients
    with temporary_folder() as folder:
        tokens = _prepare(folder, voters)
        result = _cast_ballots(folder, tokens)
        _check(folder, [str(json.loads(body)["receipt"]["confirmation"]) for body in result.bodies])
        bare = _time_bare_writes(folder, min(voters, 200)) * voters
    yield ReportTable(
        f"{voters:,} secret ballots over HTTP, {CONNECTIONS} connections, on a durable file",
        ["", "total", "rate", "p50", "p99", "target"],
        [
            [
                "the service",
                f"{result.seconds:.1f} s",
                format_rate(voters / result.seconds),
                f"{format_milliseconds(result.percentile(0.5))} ms",
                f"{format_milliseconds(result.percentile(0.99))} ms",
                DURATION.verdict(result.seconds),
            ],
            [
                "only the two writes of each",
                f"{bare:.1f} s",
                format_rate(voters / bare),
                "",
                "",
                "",
            ],
            ["ratio", format_ratio(result.seconds / bare), "", "", "", ""],
        ],
        [
            "Every confirmation that was returned is in the table; the log has no gap, its hashes "
            "are valid, and the table matches the log.",
        ],
    )
    with temporary_folder() as folder:
        yield _measure_large(scale.counted, folder)


def _measure_large(people: int, folder: Path) -> ReportTable:
    """Measure each step of a large election, in processor time and in read units."""
    rows: list[list[str]] = []
    names = [f"Candidate {number}" for number in range(10)]
    stats = CallStats(patterns)
    with connect(f"file:{folder / 'large.db'}") as driver:
        elections = _open(folder, driver, stats)

        def step(title: str, count: int, work: Callable[[], object]) -> None:
            stats.reset()
            started = time.process_time()
            work()
            seconds = time.process_time() - started
            units = sum(call.read_units for call in stats.snapshot())
            each = [f"{format_milliseconds(seconds / count)} ms", f"{units / count:,.1f}"]
            rows.append([title, f"{seconds:,.1f} s", f"{units:,.0f}", *each])

        owner = elections.people.register("Owner", "owner@example.org", "correct horse battery")
        elections.lifecycle.create(owner, "Board", ElectionSettings(secret_ballot=True))
        elections.lifecycle.set_candidates(owner, "Board", names)
        lines = [RollLine(n, f"Person {n}", f"p{n}@example.org") for n in range(1, people + 1)]
        rolls = elections.rolls
        step("Roll", people, lambda: rolls.save(owner, "Board", lines, replaces=True))
        elections.lifecycle.launch(owner, "Board", allow_edit=False)
        step("Queue invitations", people, lambda: rolls.invite(owner, "Board"))
        election = elections.context.read.get_election("Board")
        roll = [row.voter for row in rolls.rows(owner, "Board")]
        client = TestClient(APP.make_app(elections, limited=False))
        pages = [f"/elections/v/{rolls.code(election, voter)}" for voter in roll[:100]]
        step("Open ballots", len(pages), lambda: [_read(client, page) for page in pages])
        generator = random.Random(1)

        def cast(voter: RollVoter) -> None:
            ranks = [(name, rank) for rank, name in enumerate(generator.sample(names, 5), 1)]
            link = LinkVoter(election.election_id, voter)
            elections.voting.cast(link, "Board", ranks, f"key of {voter.number}")

        with ThreadPoolExecutor(CONNECTIONS) as pool:
            step("Cast ballots", people, lambda: [*pool.map(cast, roll)])
        step("Close", people, lambda: elections.lifecycle.close(owner, "Board"))
        step("Count", people, lambda: elections.results.tally(owner, "Board"))
    return ReportTable(
        f"An election with {people:,} voters on a roll and 10 candidates, processor time",
        ["", "total", "read units", "each", "read units each"],
        rows,
        [
            f"{CONNECTIONS} threads cast secret ballots; each also queues a receipt by e-mail. "
            "Invitations are sent afterwards, 600 per minute.",
        ],
    )


def _read(client: TestClient, page: str) -> str:
    response = client.get(page)
    if response.status_code != 200 or "Candidate 9" not in response.text:
        raise RuntimeError(f"expected a ballot at {page}, but got {response.status_code}")
    return response.text


def _prepare(folder: Path, voters: int) -> list[str]:
    """Launch an election; return an access token for each voter."""
    with connect(f"file:{folder / 'votes.db'}") as driver:
        elections = _open(folder, driver)
        people = [
            elections.people.register(f"voter {n}", f"v{n}@example.org", "correct horse battery")
            for n in range(voters)
        ]
        settings = ElectionSettings(secret_ballot=True, electorate=Electorate.ACCOUNTS)
        elections.lifecycle.create(people[0], "Chair", settings)
        elections.lifecycle.set_candidates(people[0], "Chair", CANDIDATES)
        elections.lifecycle.launch(people[0], "Chair", allow_edit=False)
        return [elections.auth.start_session(person).access for person in people]


def _open(folder: Path, driver: Driver, *observers: Observer) -> Elections:
    cheap = Passwords(memory_kib=64, passes=1)  # signing in is not measured
    keys = load_or_create_keys(folder / "keys")
    return open_elections(driver, keys, passwords=cheap, observers=observers)


def _cast_ballots(folder: Path, tokens: Sequence[str]) -> CrowdResult:
    generator = random.Random(1)
    requests = [
        PostRequest(
            "/api/elections/elections/Chair/ballot",
            _body(generator.sample(CANDIDATES, 5)),
            {"Authorization": f"Bearer {token}", "Idempotency-Key": f"crowd-{number}"},
        )
        for number, token in enumerate(tokens)
    ]
    with serve_app("elections", folder) as port:
        return send_all(port, requests, CONNECTIONS)


def _body(names: Sequence[str]) -> str:
    ranked = [{"candidate_name": name, "rank": rank} for rank, name in enumerate(names, 1)]
    return json.dumps({"rankings": ranked})


def _check(folder: Path, codes: Sequence[str]) -> None:
    """Raise unless exactly the confirmed ballots were counted."""
    with connect(f"file:{folder / 'votes.db'}") as driver:
        elections = _open(folder, driver)
        verified = verify_log(elections.context.store, elections.context.keys)
        if verified.differences:
            raise RuntimeError(f"the table does not match the log: {verified.differences[0]}")
        owner = elections.context.read.get_user("voter 0")
        elections.lifecycle.close(owner, "Chair")
        published = elections.results.published(owner, "Chair")["confirmations"]
        if sorted(codes) != published:
            raise RuntimeError("the confirmed ballots and the counted ballots differ")


def _time_bare_writes(folder: Path, ballots: int) -> float:
    """Return the seconds per ballot for its append and its transaction, one after the other."""
    with connect(f"file:{folder / 'alone.db'}") as driver:
        store = Store(driver)
        for table in (votes, event_log):
            store.admin.create_table(table)
        started = time.perf_counter()
        for number in range(ballots):
            event: Item = {
                "PK": {"S": "EVENTS"},
                "SK": {"S": f"{number:012}"},
                "x": {"S": "x" * 800},
            }
            ballot: Item = {
                "PK": {"S": "ELECTION#Chair"},
                "SK": {"S": f"BALLOT#{number}"},
                "GSI1PK": {"S": f"VOTER#{number}"},
                "GSI1SK": {"S": "BALLOT#Chair"},
                "x": {"S": "x" * 600},
            }
            driver.execute(PutItem("vote_event_log", event))
            driver.execute(
                TransactWriteItems(
                    [
                        TransactWriteItem(put=Put("vote_data", ballot)),
                        _add({"PK": {"S": f"USER#{number}"}, "SK": {"S": "METADATA"}}),
                        _add({"PK": {"S": "METADATA"}, "SK": {"S": "SYNC"}}),
                    ]
                )
            )
        return (time.perf_counter() - started) / ballots


def _add(key: Item) -> TransactWriteItem:
    return TransactWriteItem(
        update=Update(
            "vote_data",
            key,
            update_expression="ADD n :one",
            expression_attribute_values={":one": {"N": "1"}},
        )
    )
