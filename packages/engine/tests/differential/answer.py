"""The response of a driver, and the part of it that must be equal everywhere."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import msgspec
from msgspec.structs import replace as changed

from dynamodb_engine.errors import ConditionFailed, OperationError, TransactionCanceled
from dynamodb_engine.operations import (
    BatchGetItem,
    Driver,
    GetItem,
    Operation,
    PageOutput,
    Query,
    Scan,
    TransactGetItems,
)
from dynamodb_engine.values import Item
from tests.differential.peer import Json, as_list, as_map, each
from tests.differential.strategies.tables import NAME, Table

READS = (GetItem, Query, Scan, BatchGetItem, TransactGetItems)
# More pages than any test needs: the cursor must be looping.
MOST_PAGES = 60


@dataclass(frozen=True)
class Refused:
    """An error with its details."""

    code: str
    message: str
    item: Any = None
    reasons: list[Any] | None = None


@dataclass(frozen=True)
class Pages:
    """All pages of a query or scan, in order."""

    pages: list[Json]


Answer: TypeAlias = Json | Pages | Refused


@dataclass(frozen=True)
class Step:
    """One request with our response and the peer's.

    `held` is what the table held before; `ours_after` and `theirs_after` are what the tables hold
    after a write.
    """

    table: Table
    held: list[Item]
    operation: Operation[Any]
    ours: Answer
    theirs: Answer
    ours_after: Answer | None = None
    theirs_after: Answer | None = None


def ask(driver: Driver, operation: Operation[Any]) -> Answer:
    """Return the driver's response; a query or scan is followed to its end."""
    try:
        if isinstance(operation, Query | Scan):
            return Pages([_json(page) for page in _walk(driver, operation)])
        return _json(driver.execute(operation))
    except ConditionFailed as error:
        return Refused(error.code, error.message, item=error.item)
    except TransactionCanceled as error:
        reasons = [[reason.code, reason.item] for reason in error.reasons]
        return Refused(error.code, error.message, reasons=reasons)
    except OperationError as error:
        return Refused(error.code, error.message)


def ask_step(ours: Driver, theirs: Driver, table: Table, operation: Operation[Any]) -> Step:
    """Execute the operation on both drivers and return the step."""
    held = ours.execute(Scan(NAME)).items
    step = Step(table, held, operation, ask(ours, operation), ask(theirs, operation))
    if isinstance(operation, READS):
        return step
    after = Scan(NAME)
    return replace(step, ours_after=ask(ours, after), theirs_after=ask(theirs, after))


def seen(answer: Answer | None, step: Step) -> Any:
    """Return the part of the response that must be equal everywhere, regardless of hash order."""
    match answer:
        case None:
            return None
        case Refused(code, _, item, reasons):
            return in_order([code, item, reasons])
        case Pages(pages):
            return _seen_pages([in_order(page) for page in pages], step)
        case _:
            result = in_order(answer)
            if isinstance(step.operation, BatchGetItem):
                for name, found in result["Responses"].items():
                    result["Responses"][name] = _sorted(found)
            return result


def in_order(value: Any) -> Any:
    """Return the value with its set members sorted; DynamoDB's own order is tested elsewhere."""
    pairs = as_map(value) or {}
    for kind in ("SS", "NS", "BS"):
        if len(pairs) == 1 and (members := as_list(pairs.get(kind))) is not None:
            return {kind: sorted(members)}
    return each(value, in_order)


def _walk(driver: Driver, operation: Query | Scan) -> list[PageOutput]:
    pages: list[PageOutput] = []
    segments = (operation.total_segments or 1) if isinstance(operation, Scan) else 1
    for segment in range(segments):
        asked = operation
        if isinstance(asked, Scan) and asked.segment is not None:
            asked = changed(asked, segment=asked.segment + segment)
        while True:
            pages.append(driver.execute(asked))
            if pages[-1].last_evaluated_key is None or len(pages) > MOST_PAGES:
                break
            asked = changed(asked, exclusive_start_key=pages[-1].last_evaluated_key)
    return pages


def _seen_pages(pages: list[Json], step: Step) -> Json:
    if _starts_somewhere(step.operation):
        return {"after a key": "what follows depends on a hash"}
    found = [item for page in pages for item in page.get("Items", ())]
    whole: Json = {
        "Count": sum(page["Count"] for page in pages),
        "ScannedCount": sum(page["ScannedCount"] for page in pages),
        "Items": _sorted(found),
    }
    if isinstance(step.operation, Scan) and step.operation.total_segments is not None:
        # Segments, and where their pages end, depend on a hash.
        return whole
    whole["pages"] = [page["ScannedCount"] for page in pages]
    whole["are there items"] = ["Items" in page for page in pages]
    whole["start keys"] = [sorted(page.get("LastEvaluatedKey", ())) for page in pages]
    whole["ConsumedCapacity"] = [page.get("ConsumedCapacity") for page in pages]
    if isinstance(step.operation, Query) and step.ours_after is None:
        if step.operation.index_name is None:
            whole["Items"] = found
            whole["start keys"] = [page.get("LastEvaluatedKey") for page in pages]
            whole["counts"] = [page["Count"] for page in pages]
        else:
            # Items with the same index key have no defined order.
            named = (one for one in step.table.indexes if one.name == step.operation.index_name)
            sort = next((index.keys.sort for index in named), None)
            whole["order"] = [item.get(sort) for item in found]
    return whole


def _starts_somewhere(asked: Operation[Any]) -> bool:
    """Return whether the first page starts inside a scan or among equal index keys."""
    if not isinstance(asked, Query | Scan) or asked.exclusive_start_key is None:
        return False
    return isinstance(asked, Scan) or asked.index_name is not None


def _json(result: Any) -> Json:
    return cast(Json, msgspec.json.decode(msgspec.json.encode(result)))


def _sorted(found: list[Any]) -> list[Any]:
    return sorted(found, key=lambda item: json.dumps(item, sort_keys=True))
