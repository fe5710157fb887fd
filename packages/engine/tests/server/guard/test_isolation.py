"""No request can read or change items that its policy does not cover."""

from __future__ import annotations

import asyncio
import json
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.errors import OperationError
from dynamodb_engine.operations import (
    AttributeDefinition,
    CreateTable,
    GlobalSecondaryIndex,
    KeySchemaElement,
    Operation,
    Projection,
    PutItem,
    Scan,
)
from dynamodb_engine.server.guard import Credential, Guard, Identity
from dynamodb_engine.server.guard.policy_document import read_policy
from dynamodb_engine.values import Item
from dynamodb_engine.wire import read_request, write_request, write_result
from tests.server.guard.policies import policy, statement

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/scores"
ATTRIBUTES = ["player", "game", "score", "mine"]
# Player 1 may access their own items, except for the attribute `hidden`.
POLICY = policy(
    statement(
        Action=[f"dynamodb:{name}" for name in ("*Item", "Query", "PartiQL*")],
        Resource=[ARN, f"{ARN}/index/*"],
        Condition={
            "ForAllValues:StringEquals": {
                "dynamodb:LeadingKeys": "1",
                "dynamodb:Attributes": ATTRIBUTES,
            },
            "StringEqualsIfExists": {
                "dynamodb:Select": "SPECIFIC_ATTRIBUTES",
                "dynamodb:ReturnValues": ["NONE", "UPDATED_OLD", "UPDATED_NEW"],
                "dynamodb:FullTableScan": "false",
            },
        },
    )
)
TABLE = CreateTable(
    "scores",
    [AttributeDefinition("player", "N"), AttributeDefinition("game", "S")],
    [KeySchemaElement("player", "HASH"), KeySchemaElement("game", "RANGE")],
    global_secondary_indexes=[
        GlobalSecondaryIndex("by_game", [KeySchemaElement("game", "HASH")], Projection("ALL")),
        GlobalSecondaryIndex("by_player", [KeySchemaElement("player", "HASH")], Projection("ALL")),
    ],
    billing_mode="PAY_PER_REQUEST",
)
SECRET = "never seen"

tables = st.sampled_from(["scores", ARN, ARN.replace("aws", "aws-cn")])
players = st.sampled_from(["1", "1.0", "2", "2.0", "+2", "20e-1"]).map(lambda text: {"N": text})
keys = st.fixed_dictionaries({"player": players, "game": st.just({"S": "1"})})
names = st.sampled_from([*ATTRIBUTES, "hidden", "hidden.deep", "#a", "#b"])
projections = st.lists(names, min_size=1, max_size=2, unique=True).map(", ".join)
conditions = st.sampled_from(
    ["attribute_exists(hidden)", "attribute_not_exists(score)", "#b = :v", "score = :v"]
)
updates = st.sampled_from(
    ["SET score = :v", "SET mine = hidden", "SET hidden = :v", "REMOVE #b", "SET #a = #b"]
)
returned = st.sampled_from(["NONE", "UPDATED_NEW", "ALL_OLD", "ALL_NEW"])
on_failure = st.sampled_from(["NONE", "ALL_OLD"])
ALIASES = {"#a": "mine", "#b": "hidden"}
VALUES = {":v": {"S": "x"}}


def _members(required: dict[str, Any], optional: dict[str, Any]) -> Any:
    return st.fixed_dictionaries(required, optional=optional).map(_with_placeholders)


def _with_placeholders(members: dict[str, Any]) -> dict[str, Any]:
    """Return the members, with the names and values that their expressions use."""
    text = " ".join(member for member in members.values() if isinstance(member, str))
    aliases = {alias: name for alias, name in ALIASES.items() if alias in text}
    used = VALUES if ":v" in text or ":o" in text else {}
    if ":o" in text:
        used = {":o": members["player"]} | (VALUES if ":v" in text else {})
    placed = {name: value for name, value in members.items() if name != "player"}
    return (
        placed
        | ({"ExpressionAttributeNames": aliases} if aliases else {})
        | ({"ExpressionAttributeValues": used} if used else {})
    )


items = keys.flatmap(
    lambda key: st.sampled_from([{}, {"score": {"S": "x"}}, {"hidden": {"S": "x"}}]).map(
        lambda more: key | more
    )
)
_failing = {
    "ConditionExpression": conditions,
    "ReturnValuesOnConditionCheckFailure": on_failure,
}
_reading = {"ProjectionExpression": projections}
get = _members({"TableName": tables, "Key": keys}, _reading)
put = _members({"TableName": tables, "Item": items}, _failing)
delete = _members({"TableName": tables, "Key": keys}, _failing)
update = _members({"TableName": tables, "Key": keys, "UpdateExpression": updates}, _failing)
check = _members(
    {"TableName": tables, "Key": keys, "ConditionExpression": conditions},
    {"ReturnValuesOnConditionCheckFailure": on_failure},
)
query = _members(
    {
        "TableName": tables,
        "player": players,
        "KeyConditionExpression": st.sampled_from(["player = :o", "game = :o", ":o = player"]),
    },
    {
        **_reading,
        "IndexName": st.sampled_from(["by_game", "by_player"]),
        "FilterExpression": conditions,
        "Select": st.sampled_from(["COUNT", "ALL_ATTRIBUTES", "SPECIFIC_ATTRIBUTES"]),
    },
)


numbers = st.sampled_from(["1", "1.0", "2", "2.0", "+2", "20e-1"])
clauses = st.one_of(
    st.builds("player = {}".format, numbers),
    st.builds("{} = player".format, numbers),
    st.builds("player IN [{}]".format, numbers),
    st.builds("player IN ({}, {})".format, numbers, numbers),
    st.sampled_from(["game = '1'", "player > 0", "player BETWEEN 1 AND 2", "score <> 'x'"]),
    st.sampled_from(["attribute_exists(hidden)", "hidden IS MISSING", "mine IS MISSING"]),
)
wheres = st.recursive(
    clauses,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
    ),
    max_leaves=4,
)
own = st.permutations(["player = 1", "player = 2", "game = '1'", "score = 'x'", "hidden = 'x'"])
written = st.tuples(st.integers(2, 4), own).map(lambda both: " AND ".join(both[1][: both[0]]))
selected = st.builds(
    "SELECT {} FROM scores{} WHERE {}".format,
    st.sampled_from(["*", "score", "hidden", "hidden.deep", "mine, score"]),
    st.sampled_from(["", "", ".by_game", ".by_player"]),
    wheres | written,
)
statements = st.one_of(
    selected,
    st.builds("EXISTS({})".format, selected),
    st.builds(
        "UPDATE scores {} WHERE {}{}".format,
        st.sampled_from(
            ["SET score = 'x'", "SET mine = hidden", "REMOVE hidden", "SET hidden = 1"]
        ),
        written,
        st.sampled_from(["", " RETURNING ALL OLD *", " RETURNING MODIFIED NEW *"]),
    ),
    st.builds(
        "DELETE FROM scores WHERE {}{}".format,
        written,
        st.sampled_from(["", " RETURNING ALL OLD *"]),
    ),
    st.builds("INSERT INTO scores VALUE {{'player': {}, 'game': '9'}}".format, numbers),
)
statement_parts = st.fixed_dictionaries(
    {"Statement": statements}, optional={"ReturnValuesOnConditionCheckFailure": on_failure}
)


def _one_of(name: str, part: Any) -> Any:
    return st.fixed_dictionaries({name: part})


bodies = st.one_of(
    st.tuples(st.just("GetItem"), get),
    st.tuples(st.just("PutItem"), put),
    st.tuples(st.just("DeleteItem"), delete),
    st.tuples(
        st.just("UpdateItem"),
        st.tuples(update, returned).map(lambda both: both[0] | {"ReturnValues": both[1]}),
    ),
    st.tuples(st.just("Query"), query),
    st.tuples(st.just("Scan"), _members({"TableName": tables}, _reading)),
    st.tuples(
        st.just("BatchGetItem"),
        st.dictionaries(
            tables,
            _members({"Keys": st.lists(keys, min_size=1, max_size=2)}, _reading),
            min_size=1,
            max_size=2,
        ).map(lambda tables: {"RequestItems": tables}),
    ),
    st.tuples(
        st.just("BatchWriteItem"),
        st.dictionaries(
            tables,
            st.lists(
                _one_of("PutRequest", items.map(lambda item: {"Item": item}))
                | _one_of("DeleteRequest", keys.map(lambda key: {"Key": key})),
                min_size=1,
                max_size=2,
            ),
            min_size=1,
        ).map(lambda tables: {"RequestItems": tables}),
    ),
    st.tuples(
        st.just("TransactGetItems"),
        st.lists(_one_of("Get", get), min_size=1, max_size=2).map(
            lambda actions: {"TransactItems": actions}
        ),
    ),
    st.tuples(
        st.just("TransactWriteItems"),
        st.lists(
            _one_of("Put", put)
            | _one_of("Delete", delete)
            | _one_of("Update", update)
            | _one_of("ConditionCheck", check),
            min_size=1,
            max_size=2,
        ).map(lambda actions: {"TransactItems": actions}),
    ),
)
statement_bodies = st.one_of(
    st.tuples(
        st.just("ExecuteStatement"),
        st.builds(dict.__or__, statement_parts, st.sampled_from([{}, {"Limit": 1}])),
    ),
    st.tuples(
        st.just("BatchExecuteStatement"),
        st.lists(statement_parts, min_size=1, max_size=2).map(lambda parts: {"Statements": parts}),
    ),
    st.tuples(
        st.just("ExecuteTransaction"),
        st.lists(statement_parts, min_size=1, max_size=2).map(
            lambda parts: {"TransactStatements": parts}
        ),
    ),
)


def _filled() -> Engine:
    engine = Engine.in_memory()
    engine.execute(TABLE)
    for player in ("1", "2"):
        item: Item = {
            "player": {"N": player},
            "game": {"S": "1"},
            "hidden": {"S": SECRET},
            "score": {"S": player},
        }
        engine.execute(PutItem("scores", item))
    return engine


def _items_of_others(engine: Engine) -> list[Item]:
    return [item for item in engine.execute(Scan("scores")).items if item["player"] != {"N": "1"}]


async def _respond(engine: Engine, operation: Operation[object], document: Any = POLICY) -> str:
    """Return everything that the client gets: the output, or the error with all its fields."""
    driver = AsyncEngine(engine)
    guard = Guard([Credential("player", "AKIAONE", "secret")])
    context = {"aws:username": "player"}
    player = Identity("player", "AKIAONE", "123456789012", read_policy(document, context), context)
    try:
        await guard.authorize(player, operation, driver)
        return write_result(await driver.execute(operation)).decode()
    except OperationError as error:
        return f"{error} {vars(error)}"


def _read(name: str, body: Any) -> Operation[object]:
    operation = read_request(f"DynamoDB_20120810.{name}", json.dumps(body).encode())
    return cast("Operation[object]", operation)


@given(bodies | statement_bodies)
def test_request_cannot_read_or_change_items_of_others(request: tuple[str, Any]) -> None:
    operation = _read(*request)
    with _filled() as engine:
        before = _items_of_others(engine)
        response = asyncio.run(_respond(engine, operation))
        assert _items_of_others(engine) == before, write_request(operation)
        assert SECRET not in response, write_request(operation)
        assert '"2"' not in response, write_request(operation)


# The property above would also be true if nothing were allowed.
@pytest.mark.parametrize(
    ("name", "body"),
    [
        (
            "GetItem",
            {
                "TableName": ARN,
                "Key": {"player": {"N": "1.0"}, "game": {"S": "1"}},
                "ProjectionExpression": "score",
            },
        ),
        (
            "Query",
            {
                "TableName": "scores",
                "IndexName": "by_player",
                "KeyConditionExpression": "player = :o",
                "ExpressionAttributeValues": {":o": {"N": "1"}},
                "ProjectionExpression": "score",
            },
        ),
        (
            "ExecuteStatement",
            {"Statement": "SELECT score FROM scores WHERE player = 1 AND score <> 'x'"},
        ),
    ],
)
def test_request_can_read_own_items(name: str, body: object) -> None:
    with _filled() as engine:
        assert '"score":{"S":"1"}' in asyncio.run(_respond(engine, _read(name, body)))


# If a statement names a key attribute twice, the first value is the key, and the other a condition.
def test_key_of_a_statement_is_what_the_policy_sees() -> None:
    keys = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": "1"}}
    document = policy(statement(Action="dynamodb:PartiQL*", Resource=ARN, Condition=keys))
    where = "player = 2 AND game = '1' AND player = 1"
    exists = f"EXISTS(SELECT * FROM scores WHERE {where})"
    part = {"Statement": exists, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
    operation = _read("ExecuteTransaction", {"TransactStatements": [part]})
    with _filled() as engine:
        assert "not authorized" in asyncio.run(_respond(engine, operation, document))
