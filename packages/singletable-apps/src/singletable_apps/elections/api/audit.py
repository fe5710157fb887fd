"""Read the event log, and query lists of everything. For auditors."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import Depends, Query

from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import Service, Viewer
from singletable_apps.elections.entities import User
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service.audit import redact_event_data
from singletable_apps.elections.service.audit_queries import run_query
from singletable_apps.shared.web import SIGNED_IN, Pagination, api_router

router = api_router("audit", *SIGNED_IN)


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


@router.get("/query")
def query_lists(
    user: Auditor, service: Service, sql: Annotated[str, Query(max_length=4000)]
) -> schemas.QueryResult:
    """Answer a SELECT over the lists of users, elections, candidates, voters, ballots and others.

    Ballots that are secret have no rankings in them. Only the first rows are returned.
    """
    columns, rows = run_query(service.audit, user, sql)
    return schemas.QueryResult(columns=columns, rows=rows)
