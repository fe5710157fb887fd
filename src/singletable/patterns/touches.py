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
from singletable.schema import Address, Collection, Selection, Table, Taken
from singletable.store import Touch
from singletable.store.question import about_unique, collect_touches, query_touch


def touches_of(
    where: str,
    tables: Sequence[Table],
    sample: Address[Any] | Selection[Any] | Taken[Any],
    collects: type[Collection] | None,
    *,
    consistent: bool,
) -> tuple[Touch, ...]:
    """What a call does, seen from what it asks with."""
    check_collects(where, collects)
    if collects is not None and not isinstance(sample, Selection):
        raise DeclarationError(
            f"{where} collects {collects.__name__} from one item. Ask for a partition: "
            "key.partition."
        )
    if isinstance(sample, Address):
        touches: tuple[Touch, ...] = (Touch("get", sample.entity),)
    elif isinstance(sample, Taken):
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


def _of_query(selection: Selection[Any], collects: type[Collection] | None) -> tuple[Touch, ...]:
    if collects is None:
        return (query_touch(selection),)
    return collect_touches(collects, selection)
