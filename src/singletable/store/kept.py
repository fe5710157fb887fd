"""Markers of values that an item keeps: looked for, and made where they are missing.

An item from before `Unique` was declared has no marker, and neither has one that another program
wrote. Reading a marker costs less than writing it in a transaction with every put.
"""

from __future__ import annotations

from dataclasses import replace

from singletable.operations import GetItem, GetItemOutput
from singletable.retry import Steps, send
from singletable.schema.unique import RELEASED
from singletable.store.context import Context
from singletable.store.plan import Plan
from singletable.store.writes import Write
from singletable.values import Item


def without_right_markers(context: Context, plan: Plan) -> Steps[Plan]:
    """The plan without writing those markers that are as they should be."""
    writes = list(plan.writes)
    for write in plan.writes:
        if write.marks == "keeps" and (yield from _is_right(context, write)):
            writes.remove(write)
    return replace(plan, writes=writes) if len(writes) < len(plan.writes) else plan


def _is_right(context: Context, write: Write) -> Steps[bool]:
    get = GetItem(write.table, write.key, consistent_read=True)
    got: GetItemOutput = yield from send(context.retry_policy, get)
    wanted: Item = write.item or {}
    there = got.item or {}
    # What others have added to a marker may stay.
    return RELEASED not in there and all(there.get(name) == wanted[name] for name in wanted)
