"""What auditors look at: the log with its chain of hashes, and the tables behind the pages."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypeAlias, cast
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from singletable import Item
from singletable_apps.elections.audit import RelationPage, redact_event_data, row_values
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import CorruptLog
from singletable_apps.elections.events import Event, check_event
from singletable_apps.elections.pages.dependencies import Viewer
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import url
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.shared.pages import Link

LONGEST = 160
SEALED = ("sealed", "tie_sealed")
KEYS = ("PK", "SK", "GSI1PK", "GSI1SK", "entity_type")


@dataclass(frozen=True, slots=True)
class Said:
    """One thing that an event or an item says; `kind` is text, sealed or hidden."""

    name: str
    text: str
    kind: str = "text"


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event: whether it is as it was written, and follows the one before it."""

    number: int
    name: str
    about: str
    actor: str
    when: datetime
    said: tuple[Said, ...]
    previous_hash: str
    hash: str
    intact: bool
    follows: bool


@dataclass(frozen=True, slots=True)
class ItemRow:
    """An item as it is stored: its key, what it is, and its attributes."""

    pk: str
    sk: str
    index: tuple[str, str] | None
    kind: str
    said: tuple[Said, ...]


def event_rows(events: Sequence[Event]) -> list[EventRow]:
    """Events, the newest first, each compared with the one before it if that is among them."""
    older = {one.event_id: one.hash for one in events}
    return [_event_row(one, older) for one in events]


def _event_row(event: Event, hashes: Mapping[int, str]) -> EventRow:
    before = hashes.get(event.event_id - 1, event.previous_hash)
    return EventRow(
        number=event.event_id,
        name=event.event_type,
        about=spaced(event.event_type),
        actor=event.actor,
        when=event.when_occurred,
        said=tuple(
            _said(name, value) for name, value in redact_event_data(event.event_data).items()
        ),
        previous_hash=event.previous_hash,
        hash=event.hash,
        intact=_is_intact(event),
        follows=before == event.previous_hash,
    )


def _is_intact(event: Event) -> bool:
    try:
        check_event(event, event.event_id, event.previous_hash)
    except CorruptLog:
        return False
    return True


def spaced(name: str) -> str:
    """`BallotCast` as `Ballot cast`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()


def _said(name: str, value: object) -> Said:
    if name in SEALED:
        return Said(name, f"{len(str(value)):,} characters", "sealed")
    if name == "hash":
        return Said(name, str(value), "hidden")
    if name == "levels":
        levels = cast(list[list[str]], value)
        return Said("ranking", short(" > ".join(" = ".join(level) for level in levels) or "blank"))
    return Said(name.replace("_", " "), short(_plain(value)))


def _plain(value: object) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case list():
            return ", ".join(str(one) for one in cast(list[object], value)) or "none"
        case dict():
            return json.dumps(value, ensure_ascii=False, default=str)
        case None:
            return "—"
        case _:
            return str(value)


def short(text: str) -> str:
    """The text, cut where it goes on and on."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def item_row(item: Item) -> ItemRow:
    """An item as it is stored."""
    said = [
        _stored(name, _untyped(value)) for name, value in sorted(item.items()) if name not in KEYS
    ]
    index = (_text(item, "GSI1PK"), _text(item, "GSI1SK")) if "GSI1PK" in item else None
    return ItemRow(_text(item, "PK"), _text(item, "SK"), index, kind_of(item), tuple(said))


def kind_of(item: Item) -> str:
    """What an item is: what its type says, an event of the log, or what keeps a value unique."""
    if "entity_type" in item:
        return _text(item, "entity_type")
    return "EVENT" if "event_id" in item else "UNIQUE"


def _text(item: Item, name: str) -> str:
    return str(_untyped(item[name]))


def _stored(name: str, value: object) -> Said:
    if name in SEALED:
        return Said(name, f"{len(str(value)):,} characters", "sealed")
    is_hidden = name == "hash" and "hidden" in str(value)
    return Said(name, short(_plain(value)), "hidden" if is_hidden else "text")


def _untyped(value: object) -> object:
    """The value inside DynamoDB's types: `{"L": [{"S": "a"}]}` is `["a"]`."""
    [(kind, inner)] = cast(Mapping[str, object], value).items()
    match kind:
        case "M":
            inner_map = cast(Mapping[str, object], inner)
            return {name: _untyped(one) for name, one in inner_map.items()}
        case "L":
            return [_untyped(one) for one in cast(Sequence[object], inner)]
        case "NULL":
            return None
        case _:
            return inner


router = APIRouter()
EVENTS = 25
ITEMS = 25
ROWS = 50
# The relation that says most about what is in a table.
BESIDE = {"vote_data": "elections", "vote_event_log": "events"}
Chosen: TypeAlias = Annotated[str, Path(max_length=100)]
Cursor: TypeAlias = Annotated[str | None, Query(max_length=4000)]


def _auditor(user: Viewer) -> User:
    check_permission(user, Permission.VIEW_SECRETS)
    return user


Auditor: TypeAlias = Annotated[User, Depends(_auditor)]


@router.get("/audit")
def show_events(request: Request, site: ThisSite, user: Auditor, cursor: Cursor = None) -> Response:
    """What happened, the newest first."""
    found = site.elections.queries.events(user, EVENTS, cursor)
    here = url("audit")
    return site.pages.render(
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
    auditing = site.elections.audit
    found = auditing.raw(user, table, ITEMS, cursor)
    chosen = relation or BESIDE[table]
    beside = auditing.relation(user, chosen, ITEMS, row)
    here = url("audit", "tables", table)
    return site.pages.render(
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
    found = site.elections.audit.relation(user, relation, ROWS, cursor)
    here = url("audit", "relations", relation)
    return site.pages.render(
        request,
        "elections/audit_relation.html",
        shown=_shown(found),
        relations=[
            Link(one.name, to, to == here)
            for one in site.elections.audit.relations()
            for to in [url("audit", "relations", one.name)]
        ],
        parts=_parts(site, here),
        next=_further(here, cursor=found.cursor) if found.cursor else "",
        first=here if cursor else "",
    )


def _parts(site: Site, here: str) -> list[Link]:
    """All that there is to look at."""
    relations = [one.name for one in site.elections.audit.relations()]
    among = [url("audit", "relations", name) for name in relations]
    return [
        Link("Events", url("audit"), here == url("audit")),
        *(
            Link(one.name, to, to == here)
            for one in site.elections.audit.tables()
            for to in [url("audit", "tables", one.name)]
        ),
        Link("Relations", among[0], here in among),
    ]


def _shown(page: RelationPage) -> Mapping[str, object]:
    """A relation and its rows; times stay times, so that a page shows them in a reader's zone."""
    rows = [
        [
            value if isinstance(value, datetime) else _cell(value)
            for value in row_values(one).values()
        ]
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
