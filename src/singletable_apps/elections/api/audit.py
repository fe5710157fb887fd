"""Read the event log and the tables, as stored and as relations. For auditors."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Path

from singletable_apps.elections.api.dependencies import Service, Viewer
from singletable_apps.elections.api.schemas import (
    ColumnShown,
    EventPage,
    EventShown,
    RawTableShown,
    RelationShown,
    RowPage,
)
from singletable_apps.elections.audit import redact_event_data, row_values
from singletable_apps.elections.entities import User
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY_REQUESTS,
    Pagination,
    api_router,
    responses,
)

router = api_router("audit", NOT_SIGNED_IN, NOT_ALLOWED, TOO_MANY_REQUESTS)
Chosen = Annotated[str, Path(max_length=100)]


async def _auditor(user: Viewer) -> User:
    check_permission(user, Permission.VIEW_SECRETS)
    return user


Auditor: TypeAlias = Annotated[User, Depends(_auditor)]


@router.get("/events")
def list_events(user: Auditor, elections: Service, page: Pagination) -> EventPage:
    """List events, newest first."""
    found = elections.queries.events(user, page.limit, page.cursor)
    events = [
        EventShown(
            event_id=one.event_id,
            actor=one.actor,
            when_occurred=one.when_occurred,
            event_type=one.event_type,
            event_data=redact_event_data(one.event_data),
            previous_hash=one.previous_hash,
            hash=one.hash,
        )
        for one in found.items
    ]
    answer = page.answer(events, found.cursor)
    return EventPage(items=answer.items, next=answer.next, hidden=["hash"])


@router.get("/tables")
def list_tables(user: Auditor, elections: Service) -> list[RawTableShown]:
    """List the tables that can be read as stored."""
    return [RawTableShown(name=one.name, what=one.what) for one in elections.audit.tables()]


@router.get("/tables/{table}", responses=responses(NOT_FOUND))
def list_items(user: Auditor, elections: Service, table: Chosen, page: Pagination) -> RowPage:
    """List stored items, in no particular order. Password hashes are redacted."""
    found = elections.audit.raw(user, table, page.limit, page.cursor)
    answer = page.answer(list(found.items), found.cursor)
    return RowPage(items=[dict(item) for item in answer.items], next=answer.next)


@router.get("/relations")
def list_relations(user: Auditor, elections: Service) -> list[RelationShown]:
    """List the relations with their columns."""
    return [
        RelationShown(
            name=one.name,
            what=one.description,
            columns=[
                ColumnShown(
                    name=each.name, kind=each.kind, optional=each.optional, what=each.description
                )
                for each in one.columns
            ],
        )
        for one in elections.audit.relations()
    ]


@router.get("/relations/{relation}", responses=responses(NOT_FOUND))
def list_rows(user: Auditor, elections: Service, relation: Chosen, page: Pagination) -> RowPage:
    """List the rows of a relation by natural key."""
    found = elections.audit.relation(user, relation, page.limit, page.cursor)
    rows = [dict(row_values(row)) for row in found.rows]
    answer = page.answer(rows, found.cursor)
    return RowPage(items=answer.items, next=answer.next)
