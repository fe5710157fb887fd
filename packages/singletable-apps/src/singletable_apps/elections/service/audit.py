"""What auditors see of the tables: stored items and relations, without password hashes."""

from __future__ import annotations

from dataclasses import dataclass

from singletable import Item, Page
from singletable_apps.elections.audit import (
    RELATIONS,
    Relation,
    RelationPage,
    read_relation,
    redact_item,
)
from singletable_apps.elections.entities import User, votes
from singletable_apps.elections.events import event_log
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.names import quote
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service.context import Context
from singletable_apps.shared.errors import InvalidInput, NotFound

MAX_PAGE_SIZE = 1000

# Not the table of sessions: it holds tokens and expires.
_TABLES = {table.name: table for table in (votes, event_log)}


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table, its title for people, and what it is for."""

    name: str
    title: str
    what: str


TABLES = (
    RawTable(votes.name, "Stored data", "The current state, built from the event log"),
    RawTable(event_log.name, "Stored events", "The event log: everything that happened, in order"),
)


class Audit:
    """Stored tables and relations, for auditors only."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def tables(self) -> tuple[RawTable, ...]:
        """Return the tables that can be read as they are stored."""
        return TABLES

    def raw(self, viewer: User, table: str, size: int, cursor: str | None = None) -> Page[Item]:
        """Return a page of items as they are stored, without password hashes, in no order."""
        check_permission(viewer, Permission.VIEW_SECRETS)
        _check_size(size)
        if table not in _TABLES:
            raise NotFound(
                f"There is no table {quote(table)}. The tables are {' and '.join(_TABLES)}.",
                field="table",
            )
        page = self._context.store.admin.items(_TABLES[table], size, cursor=cursor)
        return Page([redact_item(item) for item in page.items], page.cursor)

    def relations(self) -> tuple[Relation, ...]:
        """Return the relations with their columns."""
        return tuple(RELATIONS.values())

    def relation(
        self, viewer: User, name: str, size: int, cursor: str | None = None
    ) -> RelationPage:
        """Return a page of a relation, by natural key.

        Users and elections come from an index, which is eventually consistent in DynamoDB.
        """
        check_permission(viewer, Permission.VIEW_SECRETS)
        _check_size(size)
        if name not in RELATIONS:
            raise NotFound(
                f"There is no relation {quote(name)}. The relations are {', '.join(RELATIONS)}.",
                field="relation",
            )
        context = self._context
        return read_relation(RELATIONS[name], context.store, context.keys.secret, size, cursor)


def _check_size(size: int) -> None:
    if not 1 <= size <= MAX_PAGE_SIZE:
        raise InvalidInput({"size": f"Use a page size from 1 to {MAX_PAGE_SIZE:,}."})
