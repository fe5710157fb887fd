"""What a call of a reading pattern does, seen from what it asks with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singletable.errors import DeclarationError
from singletable.patterns.check import (
    check_collects,
    check_consistent,
    check_table,
    check_together,
)
from singletable.schema import Collection, ItemKey, Selection, Table, UniqueValue
from singletable.store import EntityAccess
from singletable.store.question import about_unique, collect_touches, query_touch


def touches_of(
    where: str,
    tables: Sequence[Table],
    sample: ItemKey[Any] | Selection[Any] | UniqueValue[Any],
    collects: type[Collection] | None,
    *,
    consistent: bool,
) -> tuple[EntityAccess, ...]:
    """What a call does, seen from what it asks with."""
    check_collects(where, collects)
    if collects is not None and not isinstance(sample, Selection):
        raise DeclarationError(
            f"{where} collects {collects.__name__} from one item. Ask for a partition: "
            "key.partition."
        )
    if isinstance(sample, ItemKey):
        touches: tuple[EntityAccess, ...] = (EntityAccess("get", sample.entity),)
    elif isinstance(sample, UniqueValue):
        touches = about_unique(sample).touches
    elif isinstance(sample, Selection):  # pyright: ignore[reportUnnecessaryIsInstance]
        if consistent:
            check_consistent(where, sample.access)
        if collects is not None:
            check_together(where, sample.access, collects)
        touches = _of_query(sample, collects)
    else:
        raise DeclarationError(
            f"{where} gives {sample!r}, and a store is asked with what a key gives: "
            "Ballot.key(…), Ballot.key.partition(…), Ballot.by_voter(…)."
        )
    for touch in touches:
        check_table(where, tables, touch.entity)
    return touches


def _of_query(
    selection: Selection[Any], collects: type[Collection] | None
) -> tuple[EntityAccess, ...]:
    if collects is None:
        return (query_touch(selection),)
    return collect_touches(collects, selection)
