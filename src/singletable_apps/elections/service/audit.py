"""What an auditor sees of the tables; nobody else does, and no hash of a password leaves here."""

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
from singletable_apps.elections.errors import InvalidInput, NotFound
from singletable_apps.elections.events import event_log
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service.context import Context

LARGEST_PAGE = 1000

# What is kept for a while is not among them: it is no record, and holds links that sign one in.
_TABLES = {table.name: table for table in (votes, event_log)}


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table as it is stored: its name, and what it is for."""

    name: str
    what: str


TABLES = (
    RawTable(votes.name, "what is so now; built from the log, and may be built anew"),
    RawTable(event_log.name, "what happened, event by event: the truth"),
)


class Audit:
    """Raw tables and relations, for who may view secrets."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def tables(self) -> tuple[RawTable, ...]:
        """The tables that can be read as they are stored."""
        return TABLES

    def raw(self, viewer: User, table: str, size: int, cursor: str | None = None) -> Page[Item]:
        """Items of a table as they are stored, in no order, but for hashes of passwords."""
        check_permission(viewer, Permission.VIEW_SECRETS)
        _check_size(size)
        if table not in _TABLES:
            raise NotFound(
                f"There is no table '{table}' to look at. There are: {', '.join(_TABLES)}.",
                field="table",
            )
        page = self._context.store.admin.items(_TABLES[table], size, cursor=cursor)
        return Page([redact_item(item) for item in page.items], page.cursor)

    def relations(self) -> tuple[Relation, ...]:
        """The relations, with their columns."""
        return tuple(RELATIONS.values())

    def relation(
        self, viewer: User, name: str, size: int, cursor: str | None = None
    ) -> RelationPage:
        """Rows of a relation, by their natural keys.

        Users and elections are found by an index, which DynamoDB keeps a moment behind.
        """
        check_permission(viewer, Permission.VIEW_SECRETS)
        _check_size(size)
        if name not in RELATIONS:
            raise NotFound(
                f"There is no relation '{name}'. There are: {', '.join(RELATIONS)}.",
                field="relation",
            )
        context = self._context
        return read_relation(RELATIONS[name], context.store, context.keys.secret, size, cursor)


def _check_size(size: int) -> None:
    if not 1 <= size <= LARGEST_PAGE:
        raise InvalidInput(
            f"A page has 1 to {LARGEST_PAGE:,} rows, and {size:,} were asked for.", field="size"
        )
