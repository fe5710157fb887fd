"""Batches and transactions."""

from __future__ import annotations

from hypothesis import strategies as st

from dynamodb_engine import operations as ops
from dynamodb_engine.values import Item
from tests.differential.features import Feature
from tests.differential.strategies.reads import write_projection
from tests.differential.strategies.tables import NAME, Table, draw_item, draw_key
from tests.differential.strategies.universe import Features
from tests.differential.strategies.updates import write_update
from tests.differential.strategies.writer import Writer
from tests.differential.strategies.writes import draw_condition, draw_on_failure


@st.composite
def batch_gets(draw: st.DrawFn, table: Table, features: Features) -> ops.BatchGetItem:
    """Draw a BatchGetItem of distinct keys, sometimes with a duplicate."""
    writer = Writer(draw, features)
    found = _different(writer, [draw_key(draw, table) for _ in range(writer.pick((1, 2, 4)))])
    projection = write_projection(writer, table) if writer.wants(Feature.PROJECTIONS) else None
    asked = ops.KeysAndAttributes(
        found,
        consistent_read=writer.pick((None, True)),
        projection_expression=projection,
        expression_attribute_names=writer.names or None,
    )
    return ops.BatchGetItem({NAME: asked})


@st.composite
def batch_writes(draw: st.DrawFn, table: Table, features: Features) -> ops.BatchWriteItem:
    """Draw a BatchWriteItem of distinct keys, sometimes with a duplicate."""
    writer = Writer(draw, features)
    found = _different(writer, [draw_key(draw, table) for _ in range(writer.pick((1, 2, 4)))])
    return ops.BatchWriteItem(
        {
            NAME: [
                ops.WriteRequest(put_request=ops.PutRequest(draw_item(draw, table, features) | key))
                if writer.pick((True, True, False))
                else ops.WriteRequest(delete_request=ops.DeleteRequest(key))
                for key in found
            ]
        }
    )


@st.composite
def transact_gets(draw: st.DrawFn, table: Table, features: Features) -> ops.TransactGetItems:
    """Draw a TransactGetItems of distinct keys, sometimes with a duplicate."""
    writer = Writer(draw, features)
    found = _different(writer, [draw_key(draw, table) for _ in range(writer.pick((1, 2, 4)))])
    return ops.TransactGetItems(
        [ops.TransactGetItem(_get(draw, table, features, key)) for key in found]
    )


@st.composite
def transact_writes(draw: st.DrawFn, table: Table, features: Features) -> ops.TransactWriteItems:
    """Draw a TransactWriteItems of distinct keys, sometimes with a duplicate."""
    writer = Writer(draw, features)
    found = _different(writer, [draw_key(draw, table) for _ in range(writer.pick((1, 2, 4)))])
    return ops.TransactWriteItems([_action(draw, table, features, key) for key in found])


def _get(draw: st.DrawFn, table: Table, features: Features, key: Item) -> ops.Get:
    writer = Writer(draw, features)
    projection = write_projection(writer, table) if writer.wants(Feature.PROJECTIONS) else None
    return ops.Get(NAME, key, projection, writer.names or None)


def _action(draw: st.DrawFn, table: Table, features: Features, key: Item) -> ops.TransactWriteItem:
    writer = Writer(draw, features)
    kind = writer.pick(("put", "put", "update", "update", "delete", "check"))
    change = write_update(writer) if kind == "update" else ""
    condition = draw_condition(writer)
    on_failure = draw_on_failure(writer)
    given = (writer.names or None, writer.values or None, on_failure)
    match kind:
        case "put":
            item = draw_item(draw, table, features) | key
            return ops.TransactWriteItem(put=ops.Put(NAME, item, condition, *given))
        case "update":
            return ops.TransactWriteItem(update=ops.Update(NAME, key, change, condition, *given))
        case "delete":
            return ops.TransactWriteItem(delete=ops.Delete(NAME, key, condition, *given))
        case _:
            check = ops.ConditionCheck(NAME, key, condition or "attribute_exists(pk)", *given)
            return ops.TransactWriteItem(condition_check=check)


def _different(writer: Writer, found: list[Item]) -> list[Item]:
    if writer.chance():
        return found
    return list({repr(key): key for key in found}.values())
