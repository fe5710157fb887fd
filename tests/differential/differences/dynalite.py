"""Differences that only dynalite has from AWS."""

from __future__ import annotations

import re

from singletable.operations import (
    Condition,
    DeleteItem,
    ExpectedAttributeValue,
    PutItem,
    Query,
    Scan,
    UpdateItem,
)
from tests.differential.answer import Step
from tests.differential.differences.difference import INDEXED, Difference, Example, decided, said
from tests.differential.request import (
    arguments,
    expects_existing_value,
    expressions,
    holds_empty,
    joins_with_or,
    legacy_operators,
    mentions_both,
    reckons,
)

_ALTERNATOR = "scylladb/scylladb (tests that run against AWS too), test/alternator/"
_CONFORMANCE = "paritysuite/dynamodb-conformance, "
_BLIND_TO_EMPTY = re.compile(r"size\(|\bIN \(|BETWEEN|attribute_type\(|contains\(")


def _is_blind_to_empty(step: Step) -> bool:
    asked = _BLIND_TO_EMPTY.search(expressions(step.operation)) is not None
    return holds_empty(step.held) and (asked or bool(legacy_operators(step.operation)))


DYNALITE: list[Difference] = [
    Difference(
        "dynalite",
        "takes an empty value, or false, for a missing one in size, IN, BETWEEN, contains and "
        "attribute_type",
        "an empty value is there: its size is 0, and it can be compared",
        _CONFORMANCE + "tier3/limits/emptyValues; tier1/query/expressions: contains(set, '')",
        Example(
            Scan(
                "table",
                filter_expression="size(a) = :n",
                expression_attribute_values={":n": {"N": "0"}},
            ),
            ({"pk": {"S": "a"}, "a": {"S": ""}},),
        ),
        lambda step: decided(step) and _is_blind_to_empty(step),
    ),
    Difference(
        "dynalite",
        "compares strings by their UTF-16",
        "compares them by their UTF-8",
        "Amazon DynamoDB Developer Guide, HowItWorks.NamingRulesDataTypes: strings",
        Example(
            Scan(
                "table",
                filter_expression="a < :s",
                expression_attribute_values={":s": {"S": "\U0001d11e"}},
            ),
            ({"pk": {"S": "a"}, "a": {"S": "\uffff"}},),
        ),
        lambda step: (
            (decided(step) or said("", "BETWEEN")(step))
            and mentions_both([step.held, step.operation], "\uffff", "\U0001d11e")
        ),
    ),
    Difference(
        "dynalite",
        "reckons with any number of digits, and keeps the result whatever its size",
        "refuses a result of more than 38 digits, or out of range, as an overflow",
        _ALTERNATOR + "test_number.py: test_update_expression_plus_imprecise",
        Example(
            UpdateItem(
                "table",
                {"pk": {"S": "a"}},
                update_expression="SET b = :n + :m",
                expression_attribute_values={":n": {"N": "1e125"}, ":m": {"N": "1"}},
            )
        ),
        lambda step: reckons(step.operation) and said("Number overflow", "")(step),
    ),
    Difference(
        "dynalite",
        "ends at the first condition that is false, also if one that holds would do",
        "with ConditionalOperator OR one that holds is enough",
        _CONFORMANCE + "tier3/legacy-api/expected: ConditionalOperator OR any",
        Example(
            DeleteItem(
                "table",
                {"pk": {"S": "a"}},
                expected={
                    "a": ExpectedAttributeValue(value={"S": "a"}),
                    "b": ExpectedAttributeValue(exists=False),
                },
                conditional_operator="OR",
            )
        ),
        lambda step: decided(step) and joins_with_or(step.operation),
    ),
    Difference(
        "dynalite",
        "takes a value that is expected to exist for any value",
        "Exists with a Value is that value",
        _CONFORMANCE + "tier3/legacy-api/expected: {Exists:true, Value}",
        Example(
            DeleteItem(
                "table",
                {"pk": {"S": "a"}},
                expected={"a": ExpectedAttributeValue(exists=True, value={"S": "a"})},
            ),
            ({"pk": {"S": "a"}, "a": {"S": "b"}},),
        ),
        lambda step: decided(step) and expects_existing_value(step.operation),
    ),
    Difference(
        "dynalite",
        "takes what is missing for not containing a value",
        "what is missing neither contains it nor does not: NOT_CONTAINS is false",
        _ALTERNATOR + "test_expected.py: test_update_expected_1_not_contains",
        Example(
            PutItem(
                "table",
                {"pk": {"S": "a"}},
                expected={
                    "a": ExpectedAttributeValue(
                        comparison_operator="NOT_CONTAINS", attribute_value_list=[{"S": "a"}]
                    )
                },
            )
        ),
        lambda step: decided(step) and "NOT_CONTAINS" in legacy_operators(step.operation),
    ),
    Difference(
        "dynalite",
        "compares documents, booleans and NULL by no filter",
        "EQ and NE take values of every type",
        _CONFORMANCE + "tier3/legacy-api: QueryFilter EQ on BOOL",
        Example(
            Scan("table", scan_filter={"f": Condition("EQ", [{"BOOL": True}])}),
        ),
        said("", "ComparisonOperator (EQ|NE) is not valid for (NULL|BOOL|L|M) "),
    ),
    Difference(
        "dynalite",
        "takes two lists or two maps for different",
        "compares documents by what they hold",
        _ALTERNATOR + "test_condition_expression.py: test_update_condition_eq_success",
        Example(
            Scan(
                "table",
                filter_expression="l = :l",
                expression_attribute_values={":l": {"L": [{"S": "a"}]}},
            ),
            ({"pk": {"S": "a"}, "l": {"L": [{"S": "a"}]}},),
        ),
        lambda step: (
            decided(step)
            and any(kind in value for value in arguments(step.operation) for kind in ("L", "M"))
        ),
    ),
    Difference(
        "dynalite",
        "compares what has no order, and refuses bounds of different types instead",
        "refuses values other than strings, numbers and binaries for <, <=, >, >= and BETWEEN",
        _CONFORMANCE + "tier3/error-messages/queryKeyConditionOperands",
        Example(
            Scan(
                "table",
                filter_expression="f < :f",
                expression_attribute_values={":f": {"BOOL": True}},
            )
        ),
        said("Incorrect operand type for operator or function; .*: (<|<=|>|>=|BETWEEN),", ""),
    ),
    Difference(
        "dynalite",
        "lets a name begin with _",
        "refuses it as a syntax error: such a name needs an alias",
        'issues of several projects quote AWS: token: "_", near: "SET _123"',
        Example(
            UpdateItem("table", {"pk": {"S": "a"}}, update_expression="SET _a = b"),
        ),
        said(r'Syntax error; token: "_"', ""),
    ),
    Difference(
        "dynalite",
        "lets an index have an empty key",
        "refuses an item whose key in an index is empty",
        _CONFORMANCE + "tier3/error-messages/indexKeyValues",
        Example(
            PutItem("table", {"pk": {"S": "p"}, "sk": {"S": "s"}, "ga": {"S": ""}}),
            table=INDEXED,
        ),
        said("A value specified for a secondary index key is not supported", "answered"),
    ),
    Difference(
        "dynalite",
        "does not read NOT NOT",
        "takes any number of them",
        _ALTERNATOR + "test_condition_expression.py: test_update_condition_not",
        Example(Scan("table", filter_expression="NOT NOT attribute_exists(a)")),
        lambda step: (
            "NOT NOT" in expressions(step.operation)
            and said("", 'Syntax error; Expected .* but "N" found')(step)
        ),
    ),
    Difference(
        "dynalite",
        "finds nothing under an empty key",
        "refuses an empty key in a condition too",
        "getmoto/moto, issue 7062 (the text as AWS gave it)",
        Example(
            Query(
                "table",
                key_condition_expression="pk = :p",
                expression_attribute_values={":p": {"S": ""}},
            )
        ),
        said("The AttributeValue for a key attribute cannot contain an empty", "answered"),
    ),
    Difference(
        "dynalite",
        "lets a delete ask for new values",
        "refuses all but ALL_OLD and NONE",
        _CONFORMANCE + "tier3/error-messages/deleteItem",
        Example(DeleteItem("table", {"pk": {"S": "a"}}, return_values="ALL_NEW")),
        said("ReturnValues can only be ALL_OLD or NONE", ""),
    ),
    Difference(
        "dynalite",
        "takes segment 0 for no segment",
        "refuses a segment without the number of all",
        _CONFORMANCE + "tier3/error-messages/scan: Segment 0, no TotalSegments",
        Example(Scan("table", segment=0)),
        said("The TotalSegments parameter is required but was not present", ""),
    ),
]
