"""Views show the items of entities: as they are stored, with natural keys and typed columns."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import new_class
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dynamodb_engine.values import Item
from singletable import Attr, Entity, Key, PutItem, Store, Table, attr
from singletable.errors import DeclarationError, InvalidValue
from singletable.sql import open_database, views_of
from singletable.sql.dialects import MARIADB, POSTGRESQL, SCALARS, SQLITE
from singletable.sql.views import RESERVED
from tests.sql.databases import (
    Color,
    Level,
    Line,
    Note,
    Part,
    Reply,
    Size,
    Thing,
    execute_at,
    rows_of,
    store_at,
    things,
)

TEXTS = st.text(max_size=20) | st.sampled_from(["", "a\0b", "\\u0000", "\\\0", "O'Neil", '"', "😀"])
KEYS = st.text("ab\"'. é\\", max_size=4)
DECIMALS = st.decimals(-(10**9), 10**9, places=4)
TIMES = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))
SIZES = st.builds(lambda width, unit: Size(width=width, unit=unit), st.integers(0, 99), TEXTS)
LINES = st.builds(
    Line,
    product=TEXTS,
    price=st.none() | DECIMALS,
    sizes=st.lists(SIZES, max_size=2),
    notes=st.dictionaries(KEYS, TEXTS, max_size=2),
)
THINGS: st.SearchStrategy[Thing] = st.builds(
    Thing,
    name=st.just("one"),
    text=TEXTS,
    number=st.integers(-(2**63), 2**63 - 1),
    amount=DECIMALS,
    ratio=st.floats(-1e100, 1e100).filter(lambda one: one == 0 or abs(one) > 1e-100),
    flag=st.booleans(),
    data=st.binary(max_size=9),
    day=st.dates(),
    moment=TIMES,
    seconds=TIMES.map(lambda one: one.replace(microsecond=0)),
    milliseconds=TIMES.map(lambda one: one.replace(microsecond=one.microsecond // 1000 * 1000)),
    duration=st.timedeltas(timedelta(-999_999), timedelta(999_999)),
    uuid=st.uuids(),
    color=st.sampled_from(Color),
    level=st.none() | st.sampled_from(Level),
    grade=st.sampled_from([1, 2]),
    maybe=st.none() | TEXTS,
    tags=st.sets(TEXTS.filter(bool), max_size=3),
    numbers=st.frozensets(DECIMALS, max_size=3),
    blobs=st.sets(st.binary(min_size=1, max_size=3), max_size=2),
    days=st.lists(st.dates(), max_size=3),
    lines=st.lists(LINES, max_size=2),
    options=st.dictionaries(KEYS, st.integers(-(10**15), 10**15), max_size=3),
    best=st.none() | LINES,
    reverse=TEXTS,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(thing=THINGS)
def test_rows_equal_the_stored_items(address: str, thing: Thing) -> None:
    if address.startswith(("mysql", "mariadb")):
        assume("" not in thing.options)  # JSON_KEYS loses it after two keys with escapes
    store_at(address, lambda store: store.put(thing))
    (row,) = rows_of(address, "select * from things where name = 'one'")
    assert {name: plain(value, name) for name, value in row.items()} == expected(address, thing)


def expected(address: str, thing: Thing) -> dict[str, Any]:
    """Return the values of the columns; PostgreSQL cannot show U+0000."""
    values = {name: json_value(value) for name, value in vars(thing).items() if name in COLUMNS}
    values["reverse"] = thing.reverse[::-1]
    for name in ("ratio", "data", "day", "moment", "seconds", "milliseconds", "until"):
        values[name] = getattr(thing, name)
    if address.startswith("postgresql"):
        return {name: without_null(value) for name, value in values.items()}
    return values


def without_null(value: Any) -> Any:
    match value:
        case str():
            return value.replace("\0", "\ufffd")
        case list():
            return [without_null(one) for one in value]
        case dict():
            return {name: without_null(one) for name, one in value.items()}
        case _:
            return value


COLUMNS = [one.name for one in views_of([things])[0].columns]
DIALECTS = {"file": SQLITE, "postgresql": POSTGRESQL, "mariadb": MARIADB}
NESTED = ("tags", "numbers", "blobs", "days", "lines", "options", "best", "anything")


def json_value(value: Any) -> Any:
    """Return a value as it is in JSON, with sets in the order in which they are stored."""
    match value:
        case Decimal() | timedelta():
            return number(value)
        case Line():
            return json_value(asdict(value))
        case dict():
            return {name: json_value(one) for name, one in value.items()}
        case list():
            return [json_value(one) for one in value]
        case set() | frozenset():
            return [json_value(one) for one in sorted(value)]
        case bytes():
            return b64encode(value).decode()
        case Color() | Level():
            return value.value
        case date() | None:
            return value and value.isoformat()
        case bool() | int():
            return value
        case _:
            return str(value)


def number(value: Decimal | timedelta) -> float:
    """Return a number as SQLite has it; timedeltas are in seconds."""
    if isinstance(value, timedelta):
        value = Decimal(value // timedelta(microseconds=1)) / 10**6
    return float(value)


def plain(value: Any, name: str) -> Any:
    """Return a value of a row as the same Python value for all databases."""
    if name in NESTED:
        return json.loads(value, parse_int=float) if isinstance(value, str) else value
    if name == "data":
        return b64decode(value) if isinstance(value, str) else value
    if name == "day":
        return date.fromisoformat(value) if isinstance(value, str) else value
    if name in ("moment", "seconds", "milliseconds") and value is not None:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return float(value) if isinstance(value, Decimal) and name != "number" else value


def test_fields_in_keys_only_have_columns(address: str) -> None:
    parts = [
        Part(thing="a#$ b", number=number, position=7, color=Color.GREEN, name="x y#$z")
        for number in (12, -3, -8 * 10**18)
    ]
    store_at(address, lambda store: [store.put(part) for part in parts])
    rows = rows_of(address, "select * from parts order by number desc")
    assert rows == [
        {"thing": "a#$ b", "number": one.number, "position": 7, "color": "green", "name": "x y#$z"}
        for one in parts
    ]


def test_keys_without_type_tag_identify_entities(address: str) -> None:
    def put(store: Store) -> None:
        store.put(Note(thing="n_1", code="100%"))
        store.put(Reply(thing="n_1", code="100%", number=2))
        store.put(Part(thing="n_1", number=1, position=1, color=Color.RED, name="p"))

    store_at(address, put)
    other: Item = {"PK": {"S": "THING#n#1"}, "SK": {"S": "THING"}}
    execute_at(address, lambda driver: driver.execute(PutItem("things", other)))
    assert rows_of(address, "select * from notes") == [{"thing": "n_1", "code": "100%"}]
    assert rows_of(address, "select * from replies") == [
        {"thing": "n_1", "code": "100%", "number": 2}
    ]
    assert rows_of(address, "select name from parts where thing = 'n_1'") == [{"name": "p"}]
    assert rows_of(address, "select name from things where name like 'n%'") == []


ABSENT: dict[str, object] = {
    "text": None,
    "flag": 1,
    "color": "red",
    "grade": 1,
    "maybe": "none yet",
    "tags": [],
    "numbers": [],
    "lines": [],
    "options": {},
    "best": None,
}
ODD: dict[str, Any] = {
    **{name: {"N": "1E+100"} for name in ("number", "amount", "seconds", "milliseconds")},
    **{name: {"S": "2026-02-30T99:00:00Z"} for name in ("day", "moment", "uuid", "tags", "best")},
    "lines": {"L": [{"S": "x"}, {"M": {}}]},
    "options": {"M": {"a": {"S": "b"}}},
    "anything": {"L": [{"N": "1"}, {"S": "a\0b"}]},
    "maybe": {"NULL": True},
    "until": {"S": "never"},
}


@pytest.mark.parametrize("attributes", [{}, ODD], ids=["absent", "odd"])
def test_absent_and_odd_values_break_no_view(address: str, attributes: dict[str, Any]) -> None:
    item: Item = {
        "PK": {"S": "THING#odd"},
        "SK": {"S": "THING"},
        "name": {"S": "odd"},
        **attributes,
    }
    execute_at(address, lambda driver: driver.execute(PutItem("things", item)))
    (row,) = rows_of(address, "select * from things where name = 'odd'")
    values = {name: plain(row[name], name) for name in ABSENT}
    if not attributes:
        assert values == ABSENT
    assert row["moment"] is None or address.startswith("file:")
    rows_of(address, "select * from thing_lines where name = 'odd'")


def test_columns_raise_no_error_for_items_of_other_entities(address: str) -> None:
    """PostgreSQL may evaluate a column for items outside the view, and errors repeat values."""
    keys = [("PART#a", "PART#word#-#x"), ("PART#a", f"PART#-{'9' * 40}#1.2.3#-1e9"), ("P", "1")]
    items: list[Item] = [
        {"PK": {"S": pk}, "SK": {"S": sk}, **attributes}
        for pk, sk in keys
        for attributes in ({}, ODD)
    ]
    execute_at(address, lambda driver: [driver.execute(PutItem("things", one)) for one in items])
    dialect = DIALECTS[address.partition(":")[0]]
    for view in views_of([things]):
        columns, _, conditions = view.select(dialect, "items_1").partition(" WHERE ")
        assert conditions
        with open_database(address).query(columns, [], {}) as result:
            assert list(result.rows) or view.members_of


def test_lists_and_sets_have_views_of_their_own(address: str) -> None:
    line = Line("tea", Decimal("2.50"), [Size(width=1, unit="kg")], {"a": "b"})
    store_at(
        address,
        lambda store: store.put(
            thing_of(name="listed", lines=[line, line], tags={"b", "a"}, days=[date(2026, 2, 3)])
        ),
    )
    where = "where name = 'listed' order by position"
    rows = rows_of(address, f"select * from thing_lines {where}")
    assert [(row["name"], row["position"], row["product"]) for row in rows] == [
        ("listed", 1, "tea"),
        ("listed", 2, "tea"),
    ]
    assert (rows[0]["price"], plain(rows[0]["notes"], "options")) == (Decimal("2.5"), {"a": "b"})
    assert [row["value"] for row in rows_of(address, f"select * from thing_tags {where}")] == [
        "a",
        "b",
    ]
    (day,) = rows_of(address, f"select * from thing_days {where}")
    assert plain(day["value"], "day") == date(2026, 2, 3)


def thing_of(**values: Any) -> Thing:
    """Return a thing with some values."""
    time = datetime(2026, 11, 15, 5, tzinfo=UTC)
    required: dict[str, Any] = {
        "name": "two",
        "text": "",
        "number": 1,
        "amount": Decimal(1),
        "ratio": 1.0,
        "data": b"",
        "day": time.date(),
        "moment": time,
        "seconds": time,
        "milliseconds": time,
        "duration": timedelta(1),
        "uuid": UUID(int=1),
        "reverse": "",
    }
    return Thing(**(required | values))


def test_expired_items_are_hidden(address: str) -> None:
    now = datetime.now(UTC)
    for name, until in (("old", now - timedelta(hours=1)), ("new", now + timedelta(hours=1))):
        store_at(address, lambda store: store.put(thing_of(name=name, until=until)))  # noqa: B023
    rows = rows_of(address, "select name from things where name in ('old', 'new')")
    assert rows == [{"name": "new"}]


def test_texts_are_compared_exactly(address: str) -> None:
    store_at(address, lambda store: store.put(thing_of(name="Case")))
    for other in ("case", "Case ", "CASE"):
        assert rows_of(address, f"select name from things where name = '{other}'") == []
    assert len(rows_of(address, "select name from things where name = 'Case'")) == 1


def test_hidden_fields_have_no_column() -> None:
    assert "secret" not in COLUMNS


def test_views_have_plural_names_that_are_free() -> None:
    first, second = Table("first-one"), Table("second")

    def entity(name: str, table: Table, tag: str) -> None:
        field: Attr[str] = attr()
        body = {
            "__annotations__": {"id": Attr[str]},
            "id": field,
            "key": Key(pk=(tag, field), sk="X"),
        }
        new_class(name, (Entity,), {"table": table}, lambda namespace: namespace.update(body))

    for name in ("Category", "Address", "Token", "HTTPLog", "News", "Day"):
        entity(name, first, name)
    entity("Day", second, "D")
    assert [one.name for one in views_of([first, second])] == [
        *("categories", "addresses", "first_one_tokens", "http_logs", "news", "first_one_days"),
        "second_days",
    ]


def entity(name: str, table: Table, **fields: Any) -> type[Entity]:
    """Declare an entity with the key field `id` and other fields, of these types."""
    field: Attr[str] = attr()
    kinds: dict[str, Any] = {"id": str, **fields}
    generic: Any = Attr
    body = {
        "__annotations__": {one: generic[kind] for one, kind in kinds.items()},
        **{one: attr() for one in fields},
        "id": field,
        "key": Key(pk=(name, field), sk="X"),
    }
    return new_class(name, (Entity,), {"table": table}, lambda namespace: namespace.update(body))


def test_storage_has_no_object_whose_name_a_view_could_get(address: str) -> None:
    """Tables and indexes of PostgreSQL share their names with views."""
    store_at(address, lambda store: store.put(thing_of(name="a")))
    wanted = {
        "file": "select name from sqlite_master where type <> 'view' and name not like 'sqlite_%'",
        "postgresql": "select relname from pg_class where relkind <> 'v' and "
        "relnamespace = current_schema()::regnamespace",
        "mariadb": "select table_name from information_schema.tables where table_type <> 'VIEW' "
        "and table_schema = database()",
    }
    with open_database(address).query(wanted[address.partition(":")[0]], [], {}) as result:
        names = {str(name) for (name,) in result.rows}
    assert {"tables", "items_1"} <= names
    assert [name for name in sorted(names) if not RESERVED.fullmatch(name)] == []


def test_views_with_names_of_the_storage_are_named_with_their_table() -> None:
    table, with_list = Table("shop"), Table("shop")
    entity("RowCount", table)
    entity("Row", with_list, counts=list[int])
    assert [one.name for one in views_of([table])] == ["shop_row_counts"]
    assert [one.name for one in views_of([with_list])] == ["rows", "shop_row_counts"]


def test_list_whose_view_has_the_name_of_an_entity_is_named_with_its_table() -> None:
    table = Table("shop")
    entity("Order", table, lines=list[str])
    entity("OrderLine", table)
    assert [one.name for one in views_of([table])] == ["orders", "shop_order_lines", "order_lines"]


def test_position_is_named_for_the_list_if_the_key_has_that_name() -> None:
    table = Table("shop")

    class Step(Entity, table=table):
        position: Attr[int] = attr()
        words: Attr[list[str]] = attr(factory=list)
        key = Key(pk=("STEP", position), sk="STEP")

    names = [column.name for column in views_of([table])[1].columns]
    assert names == ["position", "words_position", "value"]


@pytest.mark.parametrize(
    ("entities", "message"),
    [
        ({"HTTPLog": {}, "HttpLog": {}}, "HTTPLog and HttpLog .* view 'shop_http_logs'"),
        ({"Log": {"size": int, "Size": int}}, "columns 'size' and 'Size'"),
        ({"Log": {"tags": list[str], "Tags": list[str]}}, "the view 'log_Tags'"),
    ],
)
def test_names_that_differ_in_case_only_are_rejected(
    entities: dict[str, dict[str, Any]], message: str
) -> None:
    table = Table("shop")
    for name, fields in entities.items():
        entity(name, table, **fields)
    with pytest.raises(DeclarationError, match=message):
        views_of([table])


@pytest.mark.parametrize(
    ("name", "field", "message"),
    [
        ("A" * 62, "tags", None),
        ("A" * 64, "tags", r"view 'a+s' has 65 (bytes|characters), .* at most (63|64)"),
        ("Ä" * 32, "tags", r"view 'ä+s' has 65 bytes"),
        ("A" * 50, "t" * 14, r"view 'a+_t+' has 65 (bytes|characters)"),
        ("Log", "t" * 65, r"column of the view logs 't+' has 65 (bytes|characters)"),
    ],
)
def test_names_that_are_too_long_are_rejected_before_anything_is_created(
    address: str, name: str, field: str, message: str | None
) -> None:
    table = Table("longest")
    entity("First", table)
    entity(name, table, **{field: list[str]} if len(name) < 60 else {})
    execute_at(address, lambda driver: Store(driver).admin.create_table(table, if_missing=True))
    views, names = views_of([table]), {table: "longest"}
    is_file = address.startswith("file:")
    is_fine = message is None or is_file or ("Ä" in name and address.startswith("maria"))
    database = open_database(address)
    if is_fine:
        assert database.create_views(views, names) == views
        database.drop_views(views)
        return
    with pytest.raises(DeclarationError, match=message):
        database.create_views(views, names)
    with pytest.raises(InvalidValue), database.query("select * from firsts", [], {}):
        pass


def test_guide_lists_the_types_of_columns() -> None:
    guide = (Path(__file__).parents[4] / "docs/guide/sql.md").read_text()
    for kind, (python, _) in SCALARS.items():
        types = [one.scalars[kind][0] for one in (SQLITE, POSTGRESQL, MARIADB)]
        assert f"| {' | '.join([python, *types])} |" in guide
