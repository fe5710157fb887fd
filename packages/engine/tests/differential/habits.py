"""What peers do in every response."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from dynamodb_engine.operations import (
    BatchWriteItem,
    DeleteRequest,
    GetItem,
    Scan,
    UpdateItem,
    WriteRequest,
)
from tests.differential.answer import Answer, Pages, Refused, Step
from tests.differential.differences import NUMBERED, Example
from tests.differential.peer import as_list, as_map, each

_UNASKED = ("ConsumedCapacity", "ItemCollectionMetrics")


@dataclass(frozen=True)
class Habit:
    """Something a peer does in every response; it is removed before comparing."""

    peer: str
    what: str
    aws: str
    evidence: str
    example: Example
    leave_out: Callable[[Step], Step]


def _numbers_alike(step: Step) -> Step:
    return replace(
        step,
        ours=_changed(step.ours, _spelled_alike),
        theirs=_changed(step.theirs, _spelled_alike),
        ours_after=_changed(step.ours_after, _spelled_alike),
        theirs_after=_changed(step.theirs_after, _spelled_alike),
    )


def _changed(answer: Any, change: Callable[[Any], Any]) -> Any:
    match answer:
        case Pages(pages):
            return Pages([change(page) for page in pages])
        case Refused():
            return replace(answer, item=change(answer.item), reasons=change(answer.reasons))
        case _:
            return change(answer)


def _spelled_alike(value: Any) -> Any:
    pairs = as_map(value) or {}
    if isinstance(number := pairs.get("N"), str):
        return {"N": _plain_number(number)}
    if (numbers := as_list(pairs.get("NS"))) is not None:
        return {"NS": [_plain_number(number) for number in numbers]}
    return each(value, _spelled_alike)


def _plain_number(number: str) -> str:
    text = f"{Decimal(number):f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if Decimal(text).is_zero() else text


def _without_last_empty_page(step: Step) -> Step:
    return replace(step, ours=_shortened(step.ours), theirs=_shortened(step.theirs))


def _shortened(answer: Answer) -> Answer:
    match answer:
        case Pages([*pages, {"ScannedCount": 0}]) if pages:
            last = {name: part for name, part in pages[-1].items() if name != "LastEvaluatedKey"}
            return Pages([*pages[:-1], last])
        case _:
            return answer


def _without_what_was_not_asked(step: Step) -> Step:
    if not isinstance(step.theirs, dict):
        return step
    rest = {name: part for name, part in step.theirs.items() if name not in _UNASKED}
    return replace(step, theirs=rest)


def _without_empty_attributes(step: Step) -> Step:
    if isinstance(step.theirs, dict) and step.theirs.get("Attributes") == {}:
        rest = {name: part for name, part in step.theirs.items() if name != "Attributes"}
        return replace(step, theirs=rest)
    return step


HABITS: list[Habit] = [
    Habit(
        "moto",
        "gives numbers back as they were spelled: 1.0 for 1.0",
        "gives them in one spelling: 1 for 1.0",
        "paritysuite/dynamodb-conformance, tier1/putItem/numberFormat",
        Example(
            GetItem("table", {"pk": {"N": "1"}}),
            ({"pk": {"N": "1"}, "b": {"N": "1.0"}},),
            NUMBERED,
        ),
        _numbers_alike,
    ),
    Habit(
        "moto",
        "ends a walk at the page that holds the last item, even if the limit ended that page",
        "gives a start key with every page that the limit ended; the page after it is empty",
        "Amazon DynamoDB Developer Guide, Query.Pagination: a key does not mean that there is more",
        Example(Scan("table", limit=1), ({"pk": {"S": "a"}},)),
        _without_last_empty_page,
    ),
    Habit(
        "moto",
        "tells of updates, batches and transactions what they consumed although nobody asked",
        "tells it if ReturnConsumedCapacity is TOTAL or INDEXES",
        "paritysuite/dynamodb-conformance, tier1/putItem/consumedCapacity",
        Example(
            BatchWriteItem(
                {"table": [WriteRequest(delete_request=DeleteRequest({"pk": {"S": "a"}}))]}
            )
        ),
        _without_what_was_not_asked,
    ),
    Habit(
        "dynalite",
        "gives {} for the attributes that an update touched when there are none",
        "gives no attributes then",
        "paritysuite/dynamodb-conformance, tier1/updateItem/basic: REMOVE with UPDATED_NEW",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "a"}},
                update_expression="REMOVE b",
                return_values="UPDATED_NEW",
            ),
            ({"pk": {"S": "a"}},),
        ),
        _without_empty_attributes,
    ),
]
