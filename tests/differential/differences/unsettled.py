"""Differences from a peer where AWS's behavior is unknown.

If you find out, move the entry to where it belongs, or fix the engine.
"""

from __future__ import annotations

from singletable.operations import (
    AttributeValueUpdate,
    Condition,
    DeleteItem,
    ExpectedAttributeValue,
    Query,
    Scan,
    UpdateItem,
)
from tests.differential.differences.difference import INDEXED, Difference, Example, said

_NOT_KNOWN = "not known"

UNSETTLED: list[Difference] = [
    Difference(
        "dynalite",
        "looks for no boolean and no NULL with CONTAINS and NOT_CONTAINS",
        _NOT_KNOWN + ": we look for them, as `contains` does",
        "the manual names strings, numbers and binaries, and no answer was seen of AWS",
        Example(Scan("table", scan_filter={"f": Condition("NOT_CONTAINS", [{"BOOL": False}])})),
        said("", "ComparisonOperator (NOT_)?CONTAINS is not valid for (NULL|BOOL) "),
    ),
    Difference(
        "dynalite",
        "words a start key of the wrong type as an invalid start key, also in a scan of a table",
        _NOT_KNOWN + ": we word it as in a query",
        "AWS has reworded what is near: a start key that lacks an attribute, in a scan",
        Example(Scan("table", exclusive_start_key={"pk": {"N": "1"}})),
        lambda step: (
            isinstance(step.operation, Scan)
            and said(
                "The provided key element does not match the schema",
                "The provided starting key is invalid: The provided key element does not match",
            )(step)
        ),
    ),
    Difference(
        "dynalite",
        "refuses a start key with an empty value as it would another key",
        _NOT_KNOWN + ": we say that it is a start key, and let it pass if it is an index's",
        "no text was seen of AWS",
        Example(
            Scan(
                "table",
                index_name="global",
                exclusive_start_key={"pk": {"S": "p"}, "sk": {"S": "s"}, "ga": {"S": ""}},
            ),
            table=INDEXED,
        ),
        lambda step: (
            isinstance(step.operation, Query | Scan)
            and step.operation.exclusive_start_key is not None
            and said("", "The AttributeValue for a key attribute cannot contain an empty")(step)
        ),
    ),
    Difference(
        "dynalite",
        "does not name ConditionalOperator among the parameters that are no expressions",
        _NOT_KNOWN + ": we name it, as in queries and scans",
        "the texts that were seen are of requests without it",
        Example(
            DeleteItem(
                "table",
                {"pk": {"S": "a"}},
                expected={
                    "a": ExpectedAttributeValue(exists=False),
                    "b": ExpectedAttributeValue(exists=False),
                },
                conditional_operator="AND",
                condition_expression="attribute_exists(a)",
            )
        ),
        said("Expected, ConditionalOperator}", "Can not use both"),
    ),
    Difference(
        "dynalite",
        "holds what is to be taken from a set against the type of an index's key",
        _NOT_KNOWN + ": we look at what is there",
        "the texts that were seen are of values that are set",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "p"}, "sk": {"S": "s"}},
                attribute_updates={"ga": AttributeValueUpdate({"SS": ["g"]}, "DELETE")},
            ),
            ({"pk": {"S": "p"}, "sk": {"S": "s"}, "ga": {"S": "g"}},),
            INDEXED,
        ),
        said("Type mismatch for attribute to update|answered", "Type mismatch for Index Key"),
    ),
]
