"""The cost of a store compared with bare operations on its driver."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import count

from benchmarks.harness.measurement import Scale, Work, measure_rates
from benchmarks.harness.report import ReportTable, Target, format_microseconds, format_ratio
from singletable.engine import Engine
from singletable.operations import GetItem, PutItem, Query, UpdateItem
from singletable.schema import Attr, Entity, Index, Key, attr, model_of
from singletable.schema import Table as Declared
from singletable.store import Store

CLAIM = "in memory an operation through a store takes at most four times as long as a bare one"
RATIO = Target(at_most=4)
MANY = 100

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
    """Measure the time for each operation, bare and through a store."""
    rows: list[list[str]] = []
    with Engine.in_memory() as engine:
        store = Store(engine)
        store.admin.create_table(votes)
        store.put_many(Ballot(election="L", voter=f"v{number:03d}") for number in range(MANY))
        for name, bare, whole in _works(engine, store):
            bare_rate, whole_rate = measure_rates([bare, whole], scale.seconds)
            added = 1 / whole_rate - 1 / bare_rate
            rows.append(
                [
                    name,
                    format_microseconds(1 / bare_rate),
                    format_microseconds(1 / whole_rate),
                    format_microseconds(added),
                    format_ratio(bare_rate / whole_rate),
                    RATIO.verdict(bare_rate / whole_rate),
                ]
            )
    yield ReportTable(
        "Entities on the embedded engine in memory: an operation bare, and through a store",
        ["operation", "bare", "store", "added", "ratio", "target"],
        rows,
        ["Bare operations are written by hand, and their items stay DynamoDB JSON."],
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
        lambda _: engine.execute(update),
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
    item = model_of(Ballot).item(Ballot(election="N", voter="v").__dict__)

    def create(_: int) -> object:
        put = PutItem(
            "votes",
            {**item, "SK": {"S": f"BALLOT#{next(numbers)}"}},
            condition_expression="attribute_not_exists(PK)",
            return_values_on_condition_check_failure="ALL_OLD",
        )
        return engine.execute(put)

    return create
