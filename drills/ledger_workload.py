"""The ledger workload: what every client does at each step, and the events that it reports.

The seed alone determines the action of a step, so an auditor can compute it. Every change names the
step that made it: in the attribute `by`, or, for a removed item, in its key, because each thing is
removed by one step only.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from random import Random
from typing import Any, Literal, NamedTuple, TypeAlias

from drills.client_runners import Client
from dynamodb_engine import (
    AttributeDefinition,
    BatchWriteItem,
    CreateTable,
    DeleteItem,
    DeleteTable,
    GlobalSecondaryIndex,
    Item,
    KeySchemaElement,
    Projection,
    Put,
    PutItem,
    PutRequest,
    Retention,
    Settings,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)
from dynamodb_engine.operations import Operation


class Outcome(IntEnum):
    """What an event reports about a step."""

    STARTED = 0
    ACKNOWLEDGED = 1
    REJECTED = 2
    REOPENED = 3


class Step(NamedTuple):
    """A step of a client; the seed determines its action."""

    client: int
    number: int


@dataclass(frozen=True, slots=True)
class StepEvent:
    """A step was started, acknowledged or rejected."""

    step: Step
    outcome: Outcome


# After this event, the history continues from what the file contained when it was reopened.
REOPENED = StepEvent(Step(0, 1 << 30), Outcome.REOPENED)


TABLE = "ledger"
ACCOUNTS = 4
COUNTERS = 2
INITIAL = 1000
# If a thing is removed, it is this many steps after the step that created it.
REMOVED_AFTER = 7

Kind: TypeAlias = Literal[
    "put", "rewrite", "remove", "count", "bounded", "transfer", "batch", "table", "drop"
]
_WEIGHTS: dict[Kind, int] = {
    "put": 30,
    "rewrite": 15,
    "remove": 10,
    "count": 12,
    "bounded": 6,
    "transfer": 18,
    "batch": 6,
    "table": 2,
    "drop": 1,
}
# Large items fill the log, so that it is checkpointed while clients write.
_SMALL = (10, 10, 100, 1000, 9000, 30_000)
_LARGE = (10, 100, 30_000, 100_000, 300_000)


@dataclass(frozen=True, slots=True)
class Action:
    """The operation of a step, and the keys of the items that it changes."""

    kind: Kind
    operation: Operation[Any]
    keys: tuple[str, ...] = ()
    items: dict[str, Item] = field(default_factory=dict[str, Item])
    amount: int = 0
    table: str = ""


@lru_cache(maxsize=20_000)
def action_at(seed: int, step: Step) -> Action:
    """Return the action of a step."""
    chance = _chance(seed, step)
    kind = _kind(chance)
    sizes = _LARGE if seed % 3 == 0 else _SMALL
    earlier = Step(step.client, step.number - REMOVED_AFTER)
    if kind == "remove" and not _creates_thing(seed, earlier):
        kind = "count"
    match kind:
        case "put" | "rewrite":
            written = Step(step.client, step.number - chance.randrange(1, 6))
            thing = _thing(written if kind == "rewrite" and _creates_thing(seed, written) else step)
            item = _item(thing, step, chance, sizes)
            return Action(kind, PutItem(TABLE, item), (thing,), {thing: item})
        case "remove":
            return Action(kind, DeleteItem(TABLE, _key(_thing(earlier))), (_thing(earlier),))
        case "count" | "bounded":
            return _count(kind, step, chance)
        case "transfer":
            return _transfer(step, chance)
        case "batch":
            items = [_item(f"{_thing(step)}#{n}", step, chance, sizes) for n in range(3)]
            puts = [WriteRequest(put_request=PutRequest(item)) for item in items]
            keyed = {item["pk"]["S"]: item for item in items}
            return Action(kind, BatchWriteItem({TABLE: puts}), tuple(keyed), keyed)
        case "table":
            name = f"side-{step.client}-{step.number}"
            return Action(kind, side_table(name), table=name)
        case "drop":
            created = next(
                (n for n in range(step.number - 1, 0, -1) if _creates_table(seed, step, n)), 0
            )
            name = f"side-{step.client}-{created}"
            return Action(kind, DeleteTable(name), table=name)


def side_table(name: str) -> CreateTable:
    """Return the operation that creates a table beside the ledger."""
    return CreateTable(
        name,
        [AttributeDefinition("pk", "S")],
        [KeySchemaElement("pk", "HASH")],
        billing_mode="PAY_PER_REQUEST",
    )


def _chance(seed: int, step: Step) -> Random:
    return Random(f"{seed}/{step.client}/{step.number}")


def _kind(chance: Random) -> Kind:
    return chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]


def _creates_thing(seed: int, step: Step) -> bool:
    return step.number > 0 and _kind(_chance(seed, step)) == "put"


def _creates_table(seed: int, step: Step, number: int) -> bool:
    return _kind(_chance(seed, Step(step.client, number))) == "table"


def _thing(step: Step) -> str:
    return f"thing#{step.client}#{step.number}"


def _key(key: str) -> Item:
    return {"pk": {"S": key}}


def _by(step: Step) -> str:
    return f"{step.client}.{step.number}"


def _item(key: str, step: Step, chance: Random, sizes: tuple[int, ...]) -> Item:
    """Return an item of a random size that is in both indexes, at any position, or in neither."""
    size = chance.choice(sizes)
    item: Item = {"pk": {"S": key}, "by": {"S": _by(step)}, "text": {"S": "x" * size}}
    if chance.random() < 0.8:
        item["group"] = {"S": f"group-{chance.randrange(3)}"}
        item["rank"] = {"N": str(chance.randrange(1000))}
    return item


def _count(kind: Literal["count", "bounded"], step: Step, chance: Random) -> Action:
    key = f"counter#{chance.randrange(COUNTERS)}"
    values: Item = {":one": {"N": "1"}, ":by": {"S": _by(step)}}
    if kind == "count":
        change = UpdateItem(
            TABLE,
            _key(key),
            update_expression="SET #by = :by ADD times :one",
            expression_attribute_names={"#by": "by"},
            expression_attribute_values=values,
        )
    else:
        change = UpdateItem(
            TABLE,
            _key(key),
            update_expression="SET #by = :by, times = times + :one",
            condition_expression="attribute_exists(pk) AND times < :limit",
            expression_attribute_names={"#by": "by"},
            expression_attribute_values={**values, ":limit": {"N": str(chance.randrange(200))}},
        )
    return Action(kind, change, (key,))


def _transfer(step: Step, chance: Random) -> Action:
    payer, payee = (f"account#{n}" for n in chance.sample(range(ACCOUNTS), 2))
    amount = chance.randrange(1, 400)
    receipt: Item = {"pk": {"S": f"receipt#{_by(step)}"}, "by": {"S": _by(step)}}
    receipt |= {"group": {"S": "receipts"}, "rank": {"N": str(amount)}}
    operation = TransactWriteItems(
        [
            TransactWriteItem(update=_move(payer, step, "-", amount)),
            TransactWriteItem(update=_move(payee, step, "+", amount)),
            TransactWriteItem(put=Put(TABLE, receipt)),
        ],
        client_request_token=f"{_by(step)}-token" if chance.random() < 0.5 else None,
    )
    keys = (payer, payee, receipt["pk"]["S"])
    return Action("transfer", operation, keys, {keys[2]: receipt}, amount)


def _move(account: str, step: Step, sign: str, amount: int) -> Update:
    values: Item = {":amount": {"N": str(amount)}, ":by": {"S": _by(step)}}
    return Update(
        TABLE,
        _key(account),
        f"SET balance = balance {sign} :amount, #by = :by",
        condition_expression="balance >= :amount" if sign == "-" else "attribute_exists(pk)",
        expression_attribute_names={"#by": "by"},
        expression_attribute_values=values,
    )


# The change feed keeps everything, so that it is the whole history.
SETTINGS = Settings(retention=Retention(records=10**9, seconds=10**9, bytes=2**40))
# The client number of the setup.
SETUP = 0


def ledger_client(
    seed: int,
    number: int,
    steps: Iterable[int],
    report: Callable[[StepEvent], None],
    unknown: Container[str] = (),
) -> Client:
    """Return a client that executes its steps in order.

    After an error code in `unknown`, the step counts as in progress: it may have been applied.
    """
    for step in (Step(number, n) for n in steps):
        report(StepEvent(step, Outcome.STARTED))
        response = yield action_at(seed, step).operation
        if response.code not in unknown:
            report(StepEvent(step, Outcome.REJECTED if response.code else Outcome.ACKNOWLEDGED))


def setup_client(report: Callable[[StepEvent], None]) -> Client:
    """Return a client that creates the table and the accounts unless they exist."""
    for number, operation in enumerate((_table(), _accounts())):
        step = Step(SETUP, number)
        report(StepEvent(step, Outcome.STARTED))
        response = yield operation
        report(StepEvent(step, Outcome.REJECTED if response.code else Outcome.ACKNOWLEDGED))


def _table() -> CreateTable:
    index_key = [KeySchemaElement("group", "HASH"), KeySchemaElement("rank", "RANGE")]
    return CreateTable(
        TABLE,
        [
            AttributeDefinition("pk", "S"),
            AttributeDefinition("group", "S"),
            AttributeDefinition("rank", "N"),
        ],
        [KeySchemaElement("pk", "HASH")],
        global_secondary_indexes=[
            GlobalSecondaryIndex("whole", index_key, Projection("ALL")),
            GlobalSecondaryIndex("keys", index_key, Projection("KEYS_ONLY")),
        ],
        billing_mode="PAY_PER_REQUEST",
    )


def _accounts() -> TransactWriteItems:
    return TransactWriteItems(
        [
            TransactWriteItem(
                put=Put(TABLE, _account(n), condition_expression="attribute_not_exists(pk)")
            )
            for n in range(ACCOUNTS)
        ]
    )


def _account(number: int) -> Item:
    return {
        "pk": {"S": f"account#{number}"},
        "balance": {"N": str(INITIAL)},
        "by": {"S": f"{SETUP}.1"},
    }
