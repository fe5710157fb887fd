"""Differences that both peers have from AWS."""

from __future__ import annotations

from collections.abc import Callable

from singletable.operations import Query, UpdateItem
from tests.differential.answer import Step
from tests.differential.differences.difference import INDEXED, Difference, Example, decided, said
from tests.differential.request import (
    asks_table_through_local_index,
    compares_two_attributes,
    only_removes,
)

_ALTERNATOR = "scylladb/scylladb (tests that run against AWS too), test/alternator/"


def _both(
    what: str, aws: str, evidence: str, example: Example, explains: Callable[[Step], bool]
) -> list[Difference]:
    return [
        Difference(peer, what, aws, evidence, example, explains) for peer in ("moto", "dynalite")
    ]


BOTH: list[Difference] = [
    *_both(
        "makes an item of a key alone when an update only removes and there is none",
        "an update that only removes makes no item",
        _ALTERNATOR + "test_item.py: test_update_item_non_existent",
        Example(UpdateItem("table", {"pk": {"S": "a"}}, update_expression="REMOVE b")),
        lambda step: only_removes(step.operation) and said("answered", "answered")(step),
    ),
    *_both(
        "refuses to remove from a document when there is no item",
        "lets that pass, though not if there is an item without the document",
        _ALTERNATOR + "test_update_expression.py: test_nested_attribute_remove_from_missing_item",
        Example(UpdateItem("table", {"pk": {"S": "a"}}, update_expression="REMOVE m.x")),
        lambda step: (
            only_removes(step.operation)
            and said("answered", "The document path provided .* is invalid for update")(step)
        ),
    ),
    *_both(
        "takes two attributes that are missing for equal",
        "an attribute that is missing equals nothing: = is false and <> is true",
        _ALTERNATOR + "test_condition_expression.py: test_update_condition_eq_two_unset",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "a"}},
                update_expression="SET f = c",
                condition_expression="a = b",
            )
        ),
        lambda step: decided(step) and compares_two_attributes(step.operation),
    ),
    *_both(
        "gives {} of a global index that does not hold what is asked for",
        "refuses a projection of attributes that the global index does not hold",
        "paritysuite/dynamodb-conformance, tier3/error-messages/indexReads",
        Example(
            Query(
                "table",
                index_name="global",
                key_condition_expression="ga = :g",
                projection_expression="a",
                expression_attribute_values={":g": {"S": "g"}},
            ),
            table=INDEXED,
        ),
        said("Global secondary index .* does not project", "answered"),
    ),
    *_both(
        "filters an index by attributes that it does not hold",
        "refuses a query that filters by attributes that the index does not hold",
        "sensedeep/dynamodb-onetable, issue 377 (the text as AWS gave it)",
        Example(
            Query(
                "table",
                index_name="global",
                key_condition_expression="ga = :g",
                filter_expression="attribute_exists(a)",
                expression_attribute_values={":g": {"S": "g"}},
            ),
            table=INDEXED,
        ),
        said("does not project one or more filter attributes", "answered"),
    ),
    *_both(
        "gives of a local index what it holds, whatever is asked for",
        "fetches from the table what is asked for and the local index does not hold",
        "Amazon DynamoDB API Reference, Query: Select",
        Example(
            Query(
                "table",
                index_name="local",
                key_condition_expression="pk = :p",
                projection_expression="a",
                expression_attribute_values={":p": {"S": "p"}},
            ),
            ({"pk": {"S": "p"}, "sk": {"S": "s"}, "la": {"S": "l"}, "a": {"S": "a"}},),
            INDEXED,
        ),
        lambda step: asks_table_through_local_index(step.table, step.operation),
    ),
]
