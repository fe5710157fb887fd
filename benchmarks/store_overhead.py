"""The cost of a store compared with bare operations on its driver, and with other libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import count

from benchmarks.harness.measurement import (
    Missing,
    Scale,
    Work,
    measure_rates,
    run_peer_program,
    show_progress,
)
from benchmarks.harness.report import ReportTable, Target, format_microseconds, format_ratio
from benchmarks.http_load.servers import OURS, running
from benchmarks.programs.endpoint_requests import MANY, REQUESTS, EndpointRequests
from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import GetItem, PutItem, Query, UpdateItem
from singletable.remote import Remote
from singletable.schema import Attr, Entity, Index, Key, attr
from singletable.schema import Table as Declared
from singletable.store import Store

CLAIM = "a store adds at most 80 % to the time of a bare operation in memory, and 40 % to a query"
ONE_ITEM, MANY_ITEMS = Target(at_most=1.8), Target(at_most=1.4)
# Libraries that are measured in environments of their own, by package.
PEERS = {"pynamodb": "PynamoDB", "dyntastic": "dyntastic"}

by_voter = Index("by_voter", pk="GSI1PK", sk="GSI1SK")
votes = Declared("votes", indexes=[by_voter])


class Ballot(Entity, table=votes, type_tag=("entity_type", "BALLOT")):
    """The entity that is written and read."""

    election: Attr[str] = attr()
    voter: Attr[str] = attr()
    when_cast: Attr[datetime] = attr(default=datetime(2026, 1, 1, tzinfo=UTC))
    choice: Attr[str | None] = attr(default=None)
    rank: Attr[int] = attr(default=0)
    notes: Attr[list[str]] = attr(factory=list)
    key = Key(pk=("ELECTION", election), sk=("BALLOT", voter))
    of_voter = Key(pk=("VOTER", voter), sk=(when_cast, election)).on(by_voter)


def measure(scale: Scale) -> Iterable[ReportTable]:
    """Measure each operation bare and through a store; then the store and peers on an endpoint."""
    yield _compare_with_bare(scale)
    yield _compare_with_peers(scale)


def _compare_with_bare(scale: Scale) -> ReportTable:
    rows: list[list[str]] = []
    with Engine.in_memory() as engine:
        store = Store(engine)
        store.admin.create_table(votes)
        store.put_many(Ballot(election="L", voter=f"v{number:03d}") for number in range(MANY))
        for name, bare, whole in _works(engine, store):
            bare_rate, whole_rate = measure_rates([bare, whole], scale.seconds)
            added = 1 / whole_rate - 1 / bare_rate
            target = MANY_ITEMS if name.startswith("query") else ONE_ITEM
            rows.append(
                [
                    name,
                    format_microseconds(1 / bare_rate),
                    format_microseconds(1 / whole_rate),
                    format_microseconds(added),
                    format_ratio(bare_rate / whole_rate),
                    target.verdict(bare_rate / whole_rate),
                ]
            )
    return ReportTable(
        "Entities on the embedded engine in memory: an operation bare, and through a store",
        ["operation", "bare", "store", "added", "ratio", "target"],
        rows,
        ["Bare operations are written by hand, and their items stay DynamoDB JSON."],
    )


def _compare_with_peers(scale: Scale) -> ReportTable:
    rates: dict[str, list[float]] = {}
    notes = [
        "Each library runs in a process of its own, one after the other. dyntastic reads an "
        "item again to return its new state."
    ]
    with running(OURS) as server, Remote.at(f"dynamodb+http://127.0.0.1:{server.port}") as remote:
        store = Store(remote)
        store.admin.create_table(votes)
        store.put_many(Ballot(election="L", voter=f"v{number:03d}") for number in range(MANY))
        rates["singletable"] = _store_requests(store).rates(scale.seconds, "singletable")
        for package, name in PEERS.items():
            if not scale.includes(name):
                continue
            show_progress(name)
            arguments = str(scale.seconds), str(server.port)
            try:
                rates[name] = run_peer_program(package, *arguments, prefix="requests_with")
            except Missing as reason:
                notes.append(f"{name} is missing: {reason}.")
    rows = [
        [
            name,
            *(
                f"{format_microseconds(1 / rate)} ({format_ratio(our_rate / rate)})"
                for rate, our_rate in zip(library, rates["singletable"], strict=True)
            ),
        ]
        for name, library in rates.items()
    ]
    return ReportTable(
        "The same calls over HTTP to our endpoint: time for one call, and ratio to ours",
        ["library", *REQUESTS],
        rows,
        notes,
    )


def _store_requests(store: Store) -> EndpointRequests:
    return EndpointRequests(
        get=lambda: store.get(Ballot.key("L", "v001")),
        create=lambda voter: store.create(Ballot(election="M", voter=voter)),
        update=lambda: store.update(Ballot.key("L", "v001"), Ballot.rank.set(3)),
        query=lambda: list(store.query(Ballot.key.partition("L"))),
    )


def _works(engine: Engine, store: Store) -> Iterable[tuple[str, Work, Work]]:
    address = Ballot.key("L", "v001")
    get = GetItem("votes", address.key)
    yield "get", lambda _: engine.execute(get).item, lambda _: store.get(Ballot.key("L", "v001"))
    yield "create", _bare_create(engine), _create(store)
    update = UpdateItem(
        "votes",
        address.key,
        update_expression="SET #rank = :rank",
        condition_expression="attribute_exists(PK)",
        expression_attribute_names={"#rank": "rank"},
        expression_attribute_values={":rank": {"N": "3"}},
        return_values="ALL_NEW",
    )
    yield (
        "update",
        lambda _: engine.execute(update).attributes,
        lambda _: store.update(address, Ballot.rank.set(3)),
    )
    query = Query(
        "votes",
        key_condition_expression="PK = :pk AND begins_with(SK, :sk)",
        expression_attribute_values={":pk": {"S": "ELECTION#L"}, ":sk": {"S": "BALLOT#"}},
    )
    partition = Ballot.key.partition("L")
    yield (
        f"query of {MANY}",
        lambda _: engine.execute(query).items,
        lambda _: list(store.query(partition)),
    )


def _create(store: Store) -> Callable[[int], object]:
    numbers = count()
    return lambda _: store.create(Ballot(election="M", voter=f"v{next(numbers)}"))


def _bare_create(engine: Engine) -> Callable[[int], object]:
    numbers = count()

    def create(_: int) -> object:
        voter = f"v{next(numbers)}"
        put = PutItem(
            "votes",
            {
                "PK": {"S": "ELECTION#N"},
                "SK": {"S": f"BALLOT#{voter}"},
                "GSI1PK": {"S": f"VOTER#{voter}"},
                "GSI1SK": {"S": "2026-01-01T00:00:00.000000Z#N"},
                "entity_type": {"S": "BALLOT"},
                "election": {"S": "N"},
                "voter": {"S": voter},
                "when_cast": {"S": "2026-01-01T00:00:00.000000Z"},
                "rank": {"N": "0"},
                "notes": {"L": []},
            },
            condition_expression="attribute_not_exists(PK)",
            return_values_on_condition_check_failure="ALL_OLD",
        )
        return engine.execute(put)

    return create
