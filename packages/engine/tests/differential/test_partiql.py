"""Random PartiQL statements get the same responses from our engine as from DynamoDB Local.

Only codes of errors are compared: DynamoDB Local words some differently from AWS.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine import Engine
from dynamodb_engine.errors import OperationError
from dynamodb_engine.wire import read_request
from tests.differential.local_peer import TARGET, Local
from tests.differential.local_peer import local as local
from tests.differential.test_answers import shared_peer

SCHEMA = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
TABLE = {
    "TableName": "tab",
    "AttributeDefinitions": [
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")
    ],
    "KeySchema": SCHEMA,
    "BillingMode": "PAY_PER_REQUEST",
}
ITEM = "'pk': 'a', 'n': 5, 's': 'str', 'l': [1, 'x'], 'm': {'k': [true]}, 'ss': <<'x', 'y'>>"
ITEMS = [
    f"INSERT INTO tab VALUE {{{ITEM}, 'sk': '1'}}",
    "INSERT INTO tab VALUE {'pk': 'a', 'sk': '2', 'n': 7, 'nul': null}",
    "INSERT INTO tab VALUE {'pk': 'b', 'sk': '1', 's': 'it''s'}",
]


def ours(engine: Engine, operation: str, body: dict[str, Any]) -> tuple[str, Any]:
    """Return the code and the body of our response."""
    try:
        output = engine.execute(read_request(TARGET + operation, json.dumps(body).encode()))
    except OperationError as error:
        return error.code.removesuffix("Exception"), {}
    return "", json.loads(msgspec.json.encode(output))


PATHS = st.sampled_from(["n", "s", "l", "l[0]", "m.k", "m['k'][0]", '"ss"', "nul", "absent", "sk"])
VALUES = st.sampled_from(
    ["5", "-1.5e0", "'str'", "'it''s'", "true", "null", "['x', 1]", "<<'y', 'x'>>", "{'k': [true]}"]
)
SCALARS = st.sampled_from(["5", "7", "'1'", "'str'", ".7e1"])
TESTS = st.one_of(
    st.builds("{} {} {}".format, PATHS, st.sampled_from(["=", "<>", "!="]), VALUES),
    st.builds("{} {} {}".format, PATHS, st.sampled_from(["<", "<=", ">", ">="]), SCALARS),
    st.builds("{} BETWEEN {} AND {}".format, PATHS, SCALARS, SCALARS),
    st.builds("{} IN [{}, {}]".format, PATHS, VALUES, VALUES),
    st.builds("{} IS {}".format, PATHS, st.sampled_from(["MISSING", "NOT NULL", "STRING", "LIST"])),
    st.builds("attribute_type({}, 'S')".format, PATHS),
    st.builds("begins_with({}, 's')".format, PATHS),
    st.builds("contains({}, 'x')".format, PATHS),
    st.builds("size({}) > 1".format, PATHS),
)
CONDITIONS = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=4,
)
CHANGES = st.sampled_from(
    [
        *(
            "SET n = n + 1",
            "SET s = 'x' REMOVE n",
            "SET l = list_append(l, [2])",
            "SET m.x = <<1>>",
        ),
        *("SET ss = set_add(ss, <<'z'>>)", "SET ss = set_delete(ss, <<'x', 'y'>>)", "REMOVE l[0]"),
        *("SET absent = if_not_exists(absent, 1)", "SET n = absent", "SET s = s + 1", "SET x = m"),
    ]
)
KEYS = st.sampled_from(["pk = 'a' AND sk = '1'", "pk = 'a' AND sk = '2'", "pk = 'c' AND sk = '1'"])
STATEMENTS = st.one_of(
    st.builds("SELECT * FROM tab WHERE pk = 'a' AND {}".format, CONDITIONS),
    st.builds("SELECT n, m.k FROM tab WHERE {}".format, CONDITIONS),
    st.builds("SELECT {} FROM tab WHERE pk = 'a'".format, PATHS),
    st.builds("UPDATE tab {} WHERE {} RETURNING ALL NEW *".format, CHANGES, KEYS),
    st.builds("UPDATE tab {} WHERE {} AND {}".format, CHANGES, KEYS, CONDITIONS),
    st.builds("DELETE FROM tab WHERE {} AND {} RETURNING ALL OLD *".format, KEYS, CONDITIONS),
    st.builds("INSERT INTO tab VALUE {{'pk': 'c', 'sk': '1', 'x': {}}}".format, VALUES),
)


def _same_order(answer: Any) -> Any:
    items = [json.dumps(item, sort_keys=True) for item in answer.get("Items", [])]
    return sorted(items)


# AWS and we filter a table by the sort key; DynamoDB Local compares it with the schema first.
def _is_about_the_sort_key(statement: str) -> bool:
    return "sk" in statement.replace("AND sk = '1'", "").replace("AND sk = '2'", "")


@shared_peer
@given(st.lists(STATEMENTS, min_size=1, max_size=6))
def test_statements_have_the_same_responses(local: Local, statements: list[str]) -> None:
    local.call("DeleteTable", {"TableName": "tab"})
    with Engine.in_memory() as engine:
        for operation, body in [("CreateTable", TABLE)] + [
            ("ExecuteStatement", {"Statement": statement})
            for statement in (
                *ITEMS,
                *(one for one in statements if not _is_about_the_sort_key(one)),
            )
        ]:
            code, answer = ours(engine, operation, body)
            expected, response = local.call(operation, body)
            assert (code, body) == (expected, body)
            if not code:
                assert _same_order(answer) == _same_order(response), body
