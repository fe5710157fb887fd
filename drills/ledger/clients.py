"""The clients of the ledger: they do what the seed says, and mark what they were told."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from drills.faces import Client
from drills.ledger.actions import ACCOUNTS, INITIAL, TABLE, action_at
from drills.ledger.marks import Mark, Outcome, Step
from singletable import (
    AttributeDefinition,
    CreateTable,
    GlobalSecondaryIndex,
    Item,
    KeySchemaElement,
    Projection,
    Put,
    Retention,
    Settings,
    TransactWriteItem,
    TransactWriteItems,
)

# Nothing is forgotten while a drill goes on: the feed is the whole history.
SETTINGS = Settings(retention=Retention(records=10**9, seconds=10**9, bytes=2**40))
# The steps of whoever sets up are below those of everyone else.
SETUP = 0


def ledger_client(
    seed: int, number: int, steps: Iterable[int], mark: Callable[[Mark], None]
) -> Client:
    """A client that goes through its steps."""
    for step in (Step(number, n) for n in steps):
        mark(Mark(step, Outcome.STARTED))
        answer = yield action_at(seed, step).operation
        mark(Mark(step, Outcome.REFUSED if answer.code else Outcome.KEPT))


def setup_client(mark: Callable[[Mark], None]) -> Client:
    """Make the table and open the accounts; what is there already stays as it is."""
    for number, operation in enumerate((_table(), _accounts())):
        step = Step(SETUP, number)
        mark(Mark(step, Outcome.STARTED))
        answer = yield operation
        mark(Mark(step, Outcome.REFUSED if answer.code else Outcome.KEPT))


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
