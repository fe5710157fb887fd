"""A thousand voters cast at once, and the writes alone that this needs."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.crowd.asking import Asked, ask_all
from benchmarks.crowd.served import served
from benchmarks.measuring import units
from benchmarks.measuring.bar import Bar
from benchmarks.measuring.scale import Scale
from benchmarks.measuring.scratch import scratch
from benchmarks.measuring.table import Table
from singletable import (
    Driver,
    Item,
    Put,
    PutItem,
    Store,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    connect,
)
from singletable_apps.elections.archive import verify_log
from singletable_apps.elections.entities import votes
from singletable_apps.elections.keys import load_keys
from singletable_apps.elections.log import log
from singletable_apps.elections.service import Elections, Terms, open_elections
from singletable_apps.shared.accounts import Passwords

CLAIM = "a thousand voters cast within ten seconds over HTTP, durably, and nothing is lost"
BAR = Bar(at_most=10, unit=" s")
CANDIDATES = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"]
AT_ONCE = 64


def measure(scale: Scale) -> Iterable[Table]:
    """Secret ballots over eight candidates on a file that survives a power cut."""
    voters = scale.few
    with scratch() as folder:
        tokens = _prepared(folder, voters)
        codes, waits, took = _crowd(folder, tokens)
        _check(folder, codes)
        alone = _writes_alone(folder, min(voters, 200)) * voters
    waits.sort()
    yield Table(
        f"{voters:,} secret ballots over HTTP, {AT_ONCE} connections, on a durable file",
        ["", "all of them", "rate", "p50", "p99", "bar"],
        [
            [
                "the service",
                f"{took:.1f} s",
                units.rate(voters / took),
                f"{units.milliseconds(waits[len(waits) // 2])} ms",
                f"{units.milliseconds(waits[int(len(waits) * 0.99)])} ms",
                BAR.verdict(took),
            ],
            [
                "the two writes of each, alone",
                f"{alone:.1f} s",
                units.rate(voters / alone),
                "",
                "",
                "",
            ],
            ["the service to the writes alone", units.times(took / alone), "", "", "", ""],
        ],
        [
            "Every confirmation that was answered is in the table; the log has no gap, its hashes "
            "hold, and the table is what the log says.",
        ],
    )


def _prepared(folder: Path, voters: int) -> list[str]:
    """An election that is launched, and a token for each voter."""
    with connect(f"file:{folder / 'votes.db'}") as driver:
        elections = _opened(folder, driver)
        people = [
            elections.people.register(f"voter {n}", f"v{n}@example.org", "correct horse battery")
            for n in range(voters)
        ]
        elections.conducting.create(people[0], "Chair", Terms(secret_ballot=True))
        elections.rolls.set_candidates(people[0], "Chair", CANDIDATES)
        elections.conducting.launch(people[0], "Chair", allow_edit=False)
        return [elections.access.welcome(one).access for one in people]


def _opened(folder: Path, driver: Driver) -> Elections:
    cheap = Passwords(memory_kib=64, passes=1)  # nobody signs in while it is measured
    return open_elections(driver, load_keys(folder / "keys"), passwords=cheap)


def _crowd(folder: Path, tokens: Sequence[str]) -> tuple[list[str], list[float], float]:
    chance = random.Random(1)
    asked = [
        Asked(
            "/api/elections/elections/Chair/ballot",
            _body(chance.sample(CANDIDATES, 5)),
            {"Authorization": f"Bearer {token}", "Idempotency-Key": f"crowd-{number}"},
        )
        for number, token in enumerate(tokens)
    ]
    with served("benchmarks.electing.server", folder) as port:
        began = time.perf_counter()
        answers, waits = ask_all(port, asked, AT_ONCE)
        took = time.perf_counter() - began
    codes = [str(json.loads(answer)["receipt"]["confirmation"]) for answer in answers]
    return codes, waits, took


def _body(names: Sequence[str]) -> str:
    ranked = [{"candidate_name": name, "rank": rank} for rank, name in enumerate(names, 1)]
    return json.dumps({"rankings": ranked})


def _check(folder: Path, codes: Sequence[str]) -> None:
    """Whatever was answered is there, and nothing else."""
    with connect(f"file:{folder / 'votes.db'}") as driver:
        elections = _opened(folder, driver)
        verified = verify_log(elections.office.store)
        if verified.differences:
            raise RuntimeError(f"the table is not what the log says: {verified.differences[0]}")
        owner = elections.office.view.user("voter 0")
        elections.conducting.finalise(owner, "Chair")
        published = elections.results.published(owner, "Chair")["confirmations"]
        if sorted(codes) != published:
            raise RuntimeError("what was answered and what was counted are not the same ballots")


def _writes_alone(folder: Path, ballots: int) -> float:
    """Seconds for an append and a transaction as a ballot needs them, one after the other."""
    with connect(f"file:{folder / 'alone.db'}") as driver:
        store = Store(driver)
        for table in (votes, log):
            store.admin.create_table(table)
        began = time.perf_counter()
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
        return (time.perf_counter() - began) / ballots


def _add(key: Item) -> TransactWriteItem:
    return TransactWriteItem(
        update=Update(
            "vote_data",
            key,
            update_expression="ADD n :one",
            expression_attribute_values={":one": {"N": "1"}},
        )
    )
