"""The audit pages: the event log with its hash chain, stored tables, and lists to query."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Literal, NamedTuple, TypeAlias, cast

from fastapi import APIRouter, Depends, Path, Query, Response

from singletable import Item
from singletable_apps.elections.errors import CorruptLog
from singletable_apps.elections.events import Event, check_event
from singletable_apps.elections.pages.dependencies import UserPageContext, ViewerPage
from singletable_apps.elections.proofs.keys import BallotKey
from singletable_apps.elections.roles import ROLE_NAMES, Permission, Role
from singletable_apps.elections.rules.names import fold_name
from singletable_apps.elections.rules.users import check_permission
from singletable_apps.elections.service.audit import REDACTED, RELATIONS, TABLES, redact_event_data
from singletable_apps.elections.service.audit_queries import MAX_SHOWN, run_query
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import Form, Link, ListQuery, ListQueryParameters

router = APIRouter()
EVENTS_PER_PAGE = 25
ITEMS_PER_PAGE = 25
LONGEST_TEXT = 160
SEALED_FIELDS = ("sealed", "tie_sealed")
KEY_ATTRIBUTES = ("PK", "SK", "GSI1PK", "GSI1SK", "entity_type")
# These events carry all settings: a time that is missing was cleared.
SETTINGS_EVENTS = ("ElectionCreated", "ElectionUpdated")
TIME_FIELDS = ("no_voting_before", "no_voting_after")
# A filtered page reads at most this many pages of the log; "Next page" continues from there.
MAX_PAGES_READ = 40
# How the types of events of a kind begin.
EVENT_KINDS = {
    "People and roles": ("User", "Ownership", "Registration"),
    "Elections": ("Election", "Electorate"),
    "Candidates": ("Candidate",),
    "Voters": ("Voters", "Roll"),
    "Ballots": ("Ballot",),
}
EVENT_TITLES = {"ElectionFixed": "Election locked", "ElectionFinalized": "Election closed"}
FIELD_NAMES = {"levels": "ranking", "no_voting_before": "opens", "no_voting_after": "closes"}
EXAMPLE_QUERY = "SELECT election, count(*) AS ballots FROM ballots GROUP BY election"
NameInAudit: TypeAlias = Annotated[str, Path(max_length=100)]


def _auditor_page(page: ViewerPage) -> UserPageContext:
    check_permission(page.user, Permission.VIEW_SECRETS)
    return page


AuditorPage: TypeAlias = Annotated[UserPageContext, Depends(_auditor_page)]


@router.get("/audit")
def show_events(page: AuditorPage, query: ListQueryParameters) -> Response:
    """Show the event log, newest first: all of it, or what concerns a person or an election."""
    found, cursor = _read_events(page, query)
    form = Form({name: query.filters.get(name, "") for name in ("person", "election", "kind")})
    return page.render(
        "audit_events",
        events=query.page(event_rows(found, page.service.context.keys.ballot_key), cursor),
        form=form,
        kinds=[("", "Everything"), *((name, name) for name in EVENT_KINDS)],
        is_filtered=any(form.values.values()),
        tabs=_tabs(page, query.path),
    )


def _read_events(page: AuditorPage, query: ListQuery) -> tuple[list[Event], str | None]:
    """Read until there is a page of matches, the log ends, or enough has been read."""
    cursor, found = query.cursor, list[Event]()
    for _ in range(MAX_PAGES_READ):
        events = page.service.queries.events(page.user, EVENTS_PER_PAGE, cursor)
        found += [event for event in events.items if _matches(event, query.filters)]
        cursor = events.cursor
        if cursor is None or len(found) >= EVENTS_PER_PAGE:
            break
    return found, cursor


def _matches(event: Event, filters: Mapping[str, str]) -> bool:
    """Return whether an event is of the kind, and names the person and the election."""
    names = {fold_name(event.actor)}
    for value in redact_event_data(event.event_data).values():
        texts = cast(list[object], value) if isinstance(value, list) else [value]
        names.update(fold_name(str(text)) for text in texts)
    wanted = {fold_name(filters.get(each, "").strip()) for each in ("person", "election")}
    kind = EVENT_KINDS.get(filters.get("kind", ""), "")
    return event.event_type.startswith(kind) and wanted - {""} <= names


@router.get("/audit/tables/{table}")
def show_table(page: AuditorPage, table: NameInAudit, query: ListQueryParameters) -> Response:
    """Show the items of a table as stored."""
    items = page.service.audit.raw(page.user, table, ITEMS_PER_PAGE, query.cursor)
    return page.render(
        "audit_table",
        name=table,
        what=TABLES[table].what,
        rows=query.page([item_row(item) for item in items.items], items.cursor),
        tabs=_tabs(page, query.path),
    )


def _tabs(page: AuditorPage, path: str) -> list[Link]:
    url = partial(page.urls.page, "audit")
    table_urls = {table.title: url("tables", name) for name, table in TABLES.items()}
    return [
        Link("Events", url(), path == url()),
        *(Link(title, table_url, table_url == path) for title, table_url in table_urls.items()),
        Link("Lists", url("query"), path == url("query")),
    ]


@router.get("/audit/query")
def show_query(page: AuditorPage, sql: Annotated[str, Query(max_length=4000)] = "") -> Response:
    """Show the rows of a SELECT over the relations."""
    form, here = Form({"sql": sql or EXAMPLE_QUERY}), partial(page.urls.page, "audit")
    columns, rows = list[str](), list[list[str]]()
    try:
        if sql.strip():
            columns, found = run_query(page.service.audit, page.user, sql)
            rows = [[_shorten(_as_text(value)) for value in row] for row in found]
    except InvalidInput as error:
        form = form.with_errors(**error.errors)
    return page.render(
        "audit_query",
        422 if form.errors else 200,
        form=form,
        columns=columns,
        rows=rows,
        most=MAX_SHOWN,
        relations=RELATIONS.values(),
        lists=[
            Link(name, here("query", sql=select), sql == select)
            for name in RELATIONS
            for select in [f"SELECT * FROM {name}"]
        ],
        tabs=_tabs(page, here("query")),
    )


class FieldText(NamedTuple):
    """A field of an event or an item as text or time, which may be sealed or redacted."""

    name: str
    text: str
    kind: Literal["text", "sealed", "hidden"] = "text"
    time: datetime | None = None


class EventRow(NamedTuple):
    """An event; `intact` if it is as written, `follows` if it continues the hash chain."""

    event: Event
    title: str
    fields: list[FieldText]
    intact: bool
    follows: bool


def event_rows(events: Sequence[Event], key: BallotKey) -> list[EventRow]:
    """Return rows for events, newest first, each checked against the one before it."""
    hashes = {event.event_id: event.hash for event in events}
    return [_event_row(event, hashes, key) for event in events]


def _event_row(event: Event, hashes: Mapping[int, str], key: BallotKey) -> EventRow:
    previous = hashes.get(event.event_id - 1, event.previous_hash)
    data = redact_event_data(event.event_data)
    if event.event_type in SETTINGS_EVENTS:
        data = {**data, **{name: data.get(name) for name in TIME_FIELDS}}
    # `Ballot cast` for `BallotCast`.
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", event.event_type).capitalize()
    fields = [
        _field(FIELD_NAMES.get(name, name.replace("_", " ")), name, value)
        for name, value in data.items()
    ]
    title = EVENT_TITLES.get(event.event_type, spaced)
    follows = previous == event.previous_hash
    return EventRow(event, title, fields, _is_intact(event, key), follows)


def _is_intact(event: Event, key: BallotKey) -> bool:
    try:
        check_event(event, event.event_id, event.previous_hash, key)
    except CorruptLog:
        return False
    return True


def _field(label: str, name: str, value: object) -> FieldText:
    if name in SEALED_FIELDS:
        return FieldText(label, f"{len(str(value)):,} characters", "sealed")
    if name == "hash" and REDACTED in str(value):
        return FieldText(label, str(value), "hidden")
    if name == "levels":
        levels = cast(list[list[str]], value)
        ranking = " > ".join(" = ".join(level) for level in levels) or "blank"
        return FieldText(label, _shorten(ranking))
    if name == "role":
        return FieldText(label, ROLE_NAMES[Role(str(value))])
    if name in TIME_FIELDS and isinstance(value, str):
        return FieldText(label, value, time=datetime.fromisoformat(value))
    return FieldText(label, _shorten(_as_text(value)))


def item_row(item: Item) -> Mapping[str, object]:
    """Return a stored item without DynamoDB's types, its `kind` and its other attributes."""
    plain = {name: _plain_value(item[name]) for name in sorted(item)}
    kind = plain.get("entity_type", "EVENT" if "event_id" in item else "UNIQUE")
    others = {name: value for name, value in plain.items() if name not in KEY_ATTRIBUTES}
    fields = [_field(name, name, value) for name, value in others.items()]
    return {**plain, "kind": kind, "fields": fields}


def _plain_value(value: object) -> object:
    """Return the value without DynamoDB's types: `["a"]` for `{"L": [{"S": "a"}]}`."""
    [(kind, inner)] = cast(Mapping[str, object], value).items()
    match kind:
        case "M":
            members = cast(Mapping[str, object], inner)
            return {name: _plain_value(member) for name, member in members.items()}
        case "L":
            return [_plain_value(member) for member in cast(Sequence[object], inner)]
        case "NULL":
            return None
        case _:
            return inner


def _as_text(value: object) -> str:
    match value:
        case Role():
            return ROLE_NAMES[value]
        case True:
            return "yes"
        case False:
            return "no"
        case list():
            return ", ".join(str(entry) for entry in cast(list[object], value)) or "none"
        case dict():
            return json.dumps(value, ensure_ascii=False, default=str)
        case None:
            return "none"
        case _:
            return str(value)


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
