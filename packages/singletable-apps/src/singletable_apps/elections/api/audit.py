"""Read the event log and the tables, as stored and as relations. For auditors."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Path

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import Service, Viewer, user_router
from singletable_apps.elections.entities import User
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service.audit import RELATIONS, TABLES, redact_event_data
from singletable_apps.shared.web import NOT_FOUND, Pagination, responses

router = user_router("audit")
Chosen = Annotated[str, Path(max_length=100)]


async def _auditor(user: Viewer) -> User:
    check_permission(user, Permission.VIEW_SECRETS)
    return user


Auditor: TypeAlias = Annotated[User, Depends(_auditor)]


@router.get("/events")
def list_events(user: Auditor, service: Service, page: Pagination) -> schemas.EventPage:
    """List events, newest first."""
    found = service.queries.events(user, page.limit, page.cursor)
    events = [
        schemas.Event.from_object(event, event_data=redact_event_data(event.event_data))
        for event in found.items
    ]
    return schemas.EventPage.from_object(page.answer(events, found.cursor), hidden=["hash", "data"])


@router.get("/tables")
def list_tables(user: Auditor) -> list[schemas.StoredTable]:
    """List the tables that can be read as stored."""
    return [schemas.StoredTable(name=name, what=table.what) for name, table in TABLES.items()]


@router.get("/tables/{table}", responses=responses(NOT_FOUND))
def list_items(user: Auditor, service: Service, table: Chosen, page: Pagination) -> schemas.RowPage:
    """List stored items, in no particular order. Password hashes are redacted."""
    found = service.audit.raw(user, table, page.limit, page.cursor)
    items = [dict(item) for item in found.items]
    return schemas.RowPage.from_object(page.answer(items, found.cursor))


@router.get("/relations")
def list_relations(user: Auditor) -> list[schemas.Relation]:
    """List the relations with their columns."""
    return [
        schemas.Relation(
            name=relation.name,
            what=relation.description,
            columns=[
                schemas.Column.from_object(column, what=column.description)
                for column in relation.columns
            ],
        )
        for relation in RELATIONS.values()
    ]


@router.get("/relations/{relation}", responses=responses(NOT_FOUND))
def list_rows(
    user: Auditor, service: Service, relation: Chosen, page: Pagination
) -> schemas.RowPage:
    """List the rows of a relation by natural key."""
    found = service.audit.relation(user, relation, page.limit, page.cursor)
    rows = found.rows
    return schemas.RowPage.from_object(page.answer(rows, found.cursor))
