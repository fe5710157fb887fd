"""Writes of one item, with conditions and updates."""

from __future__ import annotations

from hypothesis import strategies as st

from dynamodb_engine.operations import DeleteItem, PutItem, ReturnOnFailure, ReturnValue, UpdateItem
from tests.differential.features import Feature
from tests.differential.strategies.conditions import write_condition
from tests.differential.strategies.tables import NAME, Table, draw_item, draw_key
from tests.differential.strategies.universe import Features
from tests.differential.strategies.updates import write_update
from tests.differential.strategies.writer import Writer

_OLD: tuple[ReturnValue, ...] = ("NONE", "ALL_OLD")
_OLD_OR_NEW: tuple[ReturnValue, ...] = (*_OLD, "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW")
_EXISTENCE = ("attribute_exists(pk)", "attribute_not_exists(pk)")


@st.composite
def puts(draw: st.DrawFn, table: Table, features: Features) -> PutItem:
    """Draw a PutItem."""
    writer = Writer(draw, features)
    return PutItem(
        NAME,
        draw_item(draw, table, features),
        condition_expression=draw_condition(writer),
        return_values=writer.pick(_OLD) if writer.wants(Feature.RETURN_VALUES) else None,
        return_values_on_condition_check_failure=draw_on_failure(writer),
        **writer.given,
    )


@st.composite
def deletes(draw: st.DrawFn, table: Table, features: Features) -> DeleteItem:
    """Draw a DeleteItem."""
    writer = Writer(draw, features)
    return DeleteItem(
        NAME,
        draw_key(draw, table),
        condition_expression=draw_condition(writer),
        return_values=writer.pick(_OLD) if writer.wants(Feature.RETURN_VALUES) else None,
        return_values_on_condition_check_failure=draw_on_failure(writer),
        **writer.given,
    )


@st.composite
def updates(draw: st.DrawFn, table: Table, features: Features) -> UpdateItem:
    """Draw an UpdateItem."""
    writer = Writer(draw, features)
    return UpdateItem(
        NAME,
        draw_key(draw, table),
        update_expression=write_update(writer),
        condition_expression=draw_condition(writer),
        return_values=writer.pick(_OLD_OR_NEW) if writer.wants(Feature.RETURN_VALUES) else None,
        return_values_on_condition_check_failure=draw_on_failure(writer),
        **writer.given,
    )


def draw_condition(writer: Writer) -> str | None:
    """Draw a condition on the item, or none."""
    if not writer.wants(Feature.CONDITIONS):
        return None
    return writer.pick(_EXISTENCE) if writer.chance() else write_condition(writer)


def draw_on_failure(writer: Writer) -> ReturnOnFailure | None:
    """Draw whether a failed condition returns the item."""
    kinds: tuple[ReturnOnFailure, ...] = ("ALL_OLD", "NONE")
    return writer.pick(kinds) if writer.wants(Feature.RETURN_ON_FAILURE) else None
