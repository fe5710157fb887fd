"""Differences that only moto has from AWS."""

from __future__ import annotations

import re

from singletable.operations import (
    BatchWriteItem,
    DeleteRequest,
    Get,
    GetItem,
    PutItem,
    Query,
    Scan,
    TransactGetItem,
    TransactGetItems,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
    WriteRequest,
)
from tests.differential.differences.difference import (
    INDEXED,
    NUMBERED,
    Difference,
    Example,
    decided,
    said,
)
from tests.differential.request import (
    arguments,
    compares_with_truth,
    expressions,
    mentions_both,
    reckons,
    wide_numbers,
)

_ALTERNATOR = "scylladb/scylladb (tests that run against AWS too), test/alternator/"
_CONFORMANCE = "paritysuite/dynamodb-conformance, "

MOTO: list[Difference] = [
    Difference(
        "moto",
        "takes an attribute that is missing for NULL",
        "an attribute that is missing equals nothing: = is false and <> is true",
        _ALTERNATOR + "test_condition_expression.py: test_update_condition_eq_unequal",
        Example(
            PutItem(
                "table",
                {"pk": {"S": "a"}},
                condition_expression="z = :null",
                expression_attribute_values={":null": {"NULL": True}},
            )
        ),
        lambda step: decided(step) and any("NULL" in value for value in arguments(step.operation)),
    ),
    Difference(
        "moto",
        "takes true for 1 and false for 0, as Python does",
        "values of different types are never equal",
        _ALTERNATOR + "test_condition_expression.py: test_update_condition_eq_different",
        Example(
            PutItem(
                "table",
                {"pk": {"S": "a"}},
                condition_expression="f = :true",
                expression_attribute_values={":true": {"BOOL": True}},
            ),
            ({"pk": {"S": "a"}, "f": {"N": "1"}},),
        ),
        lambda step: decided(step) and compares_with_truth(step.held, step.operation),
    ),
    Difference(
        "moto",
        "knows no binary that begins with the empty one",
        "every binary begins with it, as every string begins with the empty string",
        "Amazon DynamoDB Developer Guide, Expressions.OperatorsAndFunctions: begins_with",
        Example(
            Scan(
                "table",
                filter_expression="begins_with(c, :c)",
                expression_attribute_values={":c": {"B": ""}},
            ),
            ({"pk": {"S": "a"}, "c": {"B": "AA=="}},),
        ),
        lambda step: (
            decided(step)
            and "begins_with" in expressions(step.operation)
            and {"B": ""} in list(arguments(step.operation))
        ),
    ),
    Difference(
        "moto",
        "fails on the size of what is missing, or has none",
        "then the comparison is false",
        _CONFORMANCE + "tier1/query/expressions: items without binAttr",
        Example(
            Scan(
                "table",
                filter_expression="size(a) > :n",
                expression_attribute_values={":n": {"N": "0"}},
            ),
            ({"pk": {"S": "a"}},),
        ),
        said("", "Invalid attribute name|Invalid filter expression"),
    ),
    Difference(
        "moto",
        "takes the number of characters for the size of a string",
        "takes the number of its UTF-16 code units",
        _CONFORMANCE + "tier1/query/expressions: size of é and a clef is 3",
        Example(
            Scan(
                "table",
                filter_expression="size(a) = :n",
                expression_attribute_values={":n": {"N": "2"}},
            ),
            ({"pk": {"S": "a"}, "a": {"S": "\U0001d11e"}},),
        ),
        lambda step: (
            decided(step)
            and "size(" in expressions(step.operation)
            and mentions_both([step.held, step.operation], "\U0001d11e", "")
        ),
    ),
    Difference(
        "moto",
        "says that a name is unused which an index follows: m.#n[0]",
        "takes it as used: an alias may stand for any name in a path",
        "Amazon DynamoDB Developer Guide, Expressions.ExpressionAttributeNames: nested attributes",
        Example(
            GetItem(
                "table",
                {"pk": {"S": "a"}},
                projection_expression="m.#x[0]",
                expression_attribute_names={"#x": "x"},
            )
        ),
        said("answered", "ExpressionAttributeNames unused in expressions"),
    ),
    Difference(
        "moto",
        "gives the key with what an update wrote if there was no item",
        "UPDATED_NEW is what the update wrote, and nothing else",
        _CONFORMANCE + "tier1/updateItem/basic: UPDATED_NEW on a create",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "a"}},
                update_expression="SET a = :a",
                expression_attribute_values={":a": {"S": "a"}},
                return_values="UPDATED_NEW",
            )
        ),
        lambda step: (
            isinstance(step.operation, UpdateItem)
            and step.operation.return_values == "UPDATED_NEW"
            and said("answered", "answered")(step)
        ),
    ),
    Difference(
        "moto",
        "gives whole items in a transaction, whatever is asked for",
        "gives what the projection names",
        _CONFORMANCE + "tier2/transactions: a projection that matches nothing",
        Example(
            TransactGetItems([TransactGetItem(Get("table", {"pk": {"S": "a"}}, "pk"))]),
            ({"pk": {"S": "a"}, "a": {"S": "a"}},),
        ),
        lambda step: (
            isinstance(step.operation, TransactGetItems)
            and expressions(step.operation) != ""
            and said("answered", "answered")(step)
        ),
    ),
    Difference(
        "moto",
        "changes a document wherever it was copied to in the same update",
        "evaluates the whole update on the item as it was",
        _CONFORMANCE + "tier1/updateItem/basic: SET a = :v, b = a",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "a"}},
                update_expression="SET c = m, m.x = :x",
                expression_attribute_values={":x": {"S": "x"}},
            ),
            ({"pk": {"S": "a"}, "m": {"M": {}}},),
        ),
        lambda step: (
            re.search(r"= (m|if_not_exists\(m|#)", expressions(step.operation)) is not None
            and said("answered", "answered")(step)
        ),
    ),
    Difference(
        "moto",
        "sets a member of what is no document, and loses it",
        "refuses a path that leads into what is no document",
        _ALTERNATOR + "test_update_expression.py: test_nested_attribute_update_bad_path_dot",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "a"}},
                update_expression="SET m.x = :x",
                expression_attribute_values={":x": {"S": "x"}},
            ),
            ({"pk": {"S": "a"}, "m": {"S": ""}},),
        ),
        said("The document path provided in the update expression is invalid", ""),
    ),
    Difference(
        "moto",
        "keeps what an update had done before it failed",
        "carries out an update wholly, or not at all",
        "a refusal changes nothing; dynalite, whose tests ran on AWS, keeps nothing here either",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "a"}},
                update_expression="SET a = :s ADD b :n",
                expression_attribute_values={":s": {"S": "s"}, ":n": {"N": "1"}},
            ),
            ({"pk": {"S": "a"}, "b": {"S": "b"}},),
        ),
        said("^ValidationException", "^ValidationException"),
    ),
    Difference(
        "moto",
        "gives no old value of what it set to NULL",
        "UPDATED_OLD is what the update touched, as it was",
        _CONFORMANCE + "tier1/updateItem/basic: UPDATED_OLD",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "a"}},
                update_expression="SET a = :null",
                expression_attribute_values={":null": {"NULL": True}},
                return_values="UPDATED_OLD",
            ),
            ({"pk": {"S": "a"}, "a": {"NULL": True}},),
        ),
        lambda step: (
            isinstance(step.operation, UpdateItem)
            and step.operation.return_values == "UPDATED_OLD"
            and said("answered", "answered")(step)
        ),
    ),
    Difference(
        "moto",
        "reckons with 28 digits",
        "reckons with 38 digits, and refuses a result that has more",
        _ALTERNATOR + "test_number.py: test_update_expression_plus_precision",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "a"}},
                update_expression="ADD b :n",
                expression_attribute_values={":n": {"N": "12345678901234567890123456789012345678"}},
                return_values="ALL_NEW",
            ),
            ({"pk": {"S": "a"}, "b": {"N": "0.5"}},),
        ),
        lambda step: reckons(step.operation) and wide_numbers(step.held, step.operation),
    ),
    Difference(
        "moto",
        "knows no key condition with the value on the left, nor all with the sort key first",
        "takes :low <= sk for sk >= :low, and the keys in any order",
        _CONFORMANCE + "tier1/query: reversed operands; multiAttributeGsiKey: clauses in any order",
        Example(
            Query(
                "table",
                key_condition_expression="pk = :p AND :s >= sk",
                expression_attribute_values={":p": {"S": "p"}, ":s": {"S": "s"}},
            ),
            table=INDEXED,
        ),
        said("", "Multiple attribute names used in one|missed key schema element"),
    ),
    Difference(
        "moto",
        "finds nothing between a higher and a lower bound",
        "refuses bounds in the wrong order",
        _CONFORMANCE + "tier1/putItem/conditions: reversed bounds",
        Example(
            Query(
                "table",
                key_condition_expression="pk = :p AND sk BETWEEN :b AND :a",
                expression_attribute_values={
                    ":p": {"S": "p"},
                    ":a": {"S": "a"},
                    ":b": {"S": "b"},
                },
            ),
            table=INDEXED,
        ),
        said("upper bound to be greater than or equal to lower bound", "answered"),
    ),
    Difference(
        "moto",
        "takes keys for different that are spelled differently, or does not look for the same",
        "refuses a batch or a transaction that names an item twice",
        _CONFORMANCE + "tier3/error-messages/batchWriteItem, transactWriteItems",
        Example(
            BatchWriteItem(
                {
                    "table": [
                        WriteRequest(delete_request=DeleteRequest({"pk": {"N": "1"}})),
                        WriteRequest(delete_request=DeleteRequest({"pk": {"N": "1.0"}})),
                    ]
                }
            ),
            table=NUMBERED,
        ),
        said("contains duplicates|multiple operations on one item", ""),
    ),
    Difference(
        "moto",
        "refuses a transaction whose update cannot be carried out as if its form were wrong",
        "cancels it: the reason of that action is ValidationError",
        _CONFORMANCE + "tier3/limits/itemSizeBySurface: an update that grows too large",
        Example(
            TransactWriteItems(
                [TransactWriteItem(update=Update("table", {"pk": {"S": "a"}}, "SET a = b"))]
            )
        ),
        said("TransactionCanceled", "^ValidationException: .*(update expression|refers to an)"),
    ),
    Difference(
        "moto",
        "cancels a transaction for the Python error that a condition caused",
        "evaluates the condition: what is missing, or of another type, makes it false",
        _CONFORMANCE + "tier2/transactions: reasons are None, ConditionalCheckFailed, ...",
        Example(
            TransactWriteItems(
                [
                    TransactWriteItem(
                        update=Update(
                            "table",
                            {"pk": {"S": "a"}},
                            "SET a = :n",
                            "size(b) < :n",
                            None,
                            {":n": {"N": "1"}},
                        )
                    )
                ]
            )
        ),
        said("", r"TransactionCanceled.*\b(Value|Type|Key|Attribute)Error"),
    ),
]
