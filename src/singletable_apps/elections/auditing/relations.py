"""The relations that an auditor may read, with what their columns say, page by page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from singletable import Store
from singletable_apps.elections.auditing import reading, rows
from singletable_apps.elections.auditing.cursors import seal, unseal
from singletable_apps.elections.auditing.reading import Rows, Wanted
from singletable_apps.elections.auditing.rows import Row


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, what kind of value it has, whether there may be none, what it says."""

    name: str
    kind: str
    optional: bool
    what: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation: its name, what is in it, and its columns."""

    name: str
    what: str
    row: type[Row]
    columns: tuple[Column, ...]
    read: Callable[[Wanted], Rows]


@dataclass(frozen=True, slots=True)
class RelationPage:
    """Some rows of a relation, and the cursor of the next page."""

    relation: Relation
    rows: list[Row]
    cursor: str | None


def page_of(
    relation: Relation, store: Store, secret: bytes, size: int, cursor: str | None
) -> RelationPage:
    """So many rows after those that the cursor was given with."""
    after = None if cursor is None else unseal(secret, relation.name, cursor)
    # One more tells whether this page is the last.
    found = list(islice(relation.read(Wanted(store, after, size + 1)), size + 1))
    given = found[:size]
    following = seal(secret, relation.name, given[-1][0]) if len(found) > size else None
    return RelationPage(relation, [row for _, row in given], following)


_KINDS: dict[object, str] = {
    int: "number",
    bool: "yes or no",
    datetime: "time",
    dict: "JSON",
}


def _columns(row: type[Row]) -> tuple[Column, ...]:
    hints = get_type_hints(row, include_extras=True)
    return tuple(_column(name, hints[name]) for name in row.__struct_fields__)


def _column(name: str, annotated: Any) -> Column:
    assert get_origin(annotated) is Annotated
    kind, meta = get_args(annotated)
    inner = [one for one in get_args(kind) if one is not type(None)]
    optional = type(None) in get_args(kind)
    core = inner[0] if optional else get_origin(kind) or kind
    return Column(name, _KINDS.get(core, "text"), optional, str(meta.description))


def _relation(name: str, row: type[Row], read: Callable[[Wanted], Rows]) -> Relation:
    return Relation(name, (row.__doc__ or "").strip(), row, _columns(row), read)


RELATIONS: dict[str, Relation] = {
    one.name: one
    for one in (
        _relation("users", rows.UserRow, reading.users),
        _relation("elections", rows.ElectionRow, reading.elections),
        _relation("candidates", rows.CandidateRow, reading.candidates),
        _relation("voters", rows.VoterRow, reading.voters),
        _relation("ballots", rows.BallotRow, reading.ballots),
        _relation("rankings", rows.RankingRow, reading.rankings),
        _relation("events", rows.EventRow, reading.events),
        _relation("counts", rows.CountsRow, reading.counts),
    )
}
