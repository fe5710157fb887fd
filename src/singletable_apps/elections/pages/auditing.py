"""What auditors look at: the log with its chain of hashes, and the tables behind the pages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, TypeAlias
from urllib.parse import urlencode

from fastapi import Depends, Path, Query, Request, Response

from singletable_apps.elections.auditing import RelationPage, cells
from singletable_apps.elections.entities import User
from singletable_apps.elections.pages.addresses import address
from singletable_apps.elections.pages.audit_words import event_rows, item_row, short
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Viewer, page_router
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules import check_may
from singletable_apps.shared.pages import Link

router = page_router()
EVENTS = 25
ITEMS = 25
ROWS = 50
# The relation that says most about what is in a table.
BESIDE = {"vote_data": "elections", "vote_event_log": "events"}
Chosen: TypeAlias = Annotated[str, Path(max_length=100)]
Cursor: TypeAlias = Annotated[str | None, Query(max_length=4000)]


def _auditor(user: Viewer) -> User:
    check_may(user, Permission.VIEW_SECRETS)
    return user


Auditor: TypeAlias = Annotated[User, Depends(_auditor)]


@router.get("/audit")
def show_events(request: Request, site: ThisSite, user: Auditor, cursor: Cursor = None) -> Response:
    """What happened, the newest first."""
    found = site.elections.queries.events(user, EVENTS, cursor)
    here = address("audit")
    return site.pages.page(
        request,
        "elections/audit_events.html",
        rows=event_rows(found.items),
        parts=_parts(site, here),
        next=_further(here, cursor=found.cursor) if found.cursor else "",
        first=here if cursor else "",
    )


@router.get("/audit/tables/{table}")
def show_table(
    request: Request,
    site: ThisSite,
    user: Auditor,
    table: Chosen,
    cursor: Cursor = None,
    relation: Annotated[str | None, Query(max_length=100)] = None,
    row: Cursor = None,
) -> Response:
    """Items as they are stored, beside the same as people think of it."""
    auditing = site.elections.auditing
    found = auditing.raw(user, table, ITEMS, cursor)
    chosen = relation or BESIDE[table]
    beside = auditing.relation(user, chosen, ITEMS, row)
    here = address("audit", "tables", table)
    return site.pages.page(
        request,
        "elections/audit_table.html",
        table=next(one for one in auditing.tables() if one.name == table),
        rows=[item_row(item) for item in found.items],
        parts=_parts(site, here),
        next=_further(here, cursor=found.cursor, relation=relation) if found.cursor else "",
        first=_further(here, relation=relation) if cursor else "",
        beside=_shown(beside),
        relations=[
            Link(one.name, _further(here, relation=one.name, cursor=cursor), one.name == chosen)
            for one in auditing.relations()
        ],
        beside_next=(
            _further(here, cursor=cursor, relation=chosen, row=beside.cursor)
            if beside.cursor
            else ""
        ),
        beside_first=_further(here, cursor=cursor, relation=chosen) if row else "",
    )


@router.get("/audit/relations/{relation}")
def show_relation(
    request: Request, site: ThisSite, user: Auditor, relation: Chosen, cursor: Cursor = None
) -> Response:
    """Rows by their natural keys, with what each column says."""
    found = site.elections.auditing.relation(user, relation, ROWS, cursor)
    here = address("audit", "relations", relation)
    return site.pages.page(
        request,
        "elections/audit_relation.html",
        shown=_shown(found),
        relations=[
            Link(one.name, to, to == here)
            for one in site.elections.auditing.relations()
            for to in [address("audit", "relations", one.name)]
        ],
        parts=_parts(site, here),
        next=_further(here, cursor=found.cursor) if found.cursor else "",
        first=here if cursor else "",
    )


def _parts(site: Site, here: str) -> list[Link]:
    """All that there is to look at."""
    relations = [one.name for one in site.elections.auditing.relations()]
    among = [address("audit", "relations", name) for name in relations]
    return [
        Link("Events", address("audit"), here == address("audit")),
        *(
            Link(one.name, to, to == here)
            for one in site.elections.auditing.tables()
            for to in [address("audit", "tables", one.name)]
        ),
        Link("Relations", among[0], here in among),
    ]


def _shown(page: RelationPage) -> Mapping[str, object]:
    """A relation and its rows; times stay times, so that a page shows them in a reader's zone."""
    rows = [
        [value if isinstance(value, datetime) else _cell(value) for value in cells(one).values()]
        for one in page.rows
    ]
    return {"relation": page.relation, "rows": rows}


def _cell(value: object) -> str:
    match value:
        case None:
            return "—"
        case True:
            return "yes"
        case False:
            return "no"
        case dict():
            return short(json.dumps(value, ensure_ascii=False))
        case _:
            return short(str(value))


def _further(here: str, **asked: str | None) -> str:
    given = {name: value for name, value in asked.items() if value}
    return f"{here}?{urlencode(given)}" if given else here
