"""The plan against the engine: what planned calls consume, by table and index.

The tables have the declared number of items, of the declared sizes, and each pattern is called so
often that the calls are typical together: for every article, of which 30 percent are drafts. The
engine follows DynamoDB, so where they differ, the plan is wrong.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from typing import Any, Literal, TypeVar

import pytest

from dynamodb_engine.values.validation import item_size
from singletable import Call, Engine, Entity, PatternCatalog, Store, evolve
from singletable.schema import key_of, model_of
from singletable.telemetry.stats import units_of
from singletable_design.planning import create_plan
from tests.planning.designs import (
    Article,
    Author,
    AuthorPage,
    Batch,
    Building,
    Reader,
    Session,
    Transfer,
    Vote,
    ledger_catalog,
    news_catalog,
)

E = TypeVar("E", bound=Entity)
LATER = datetime(2100, 1, 1, tzinfo=UTC)
DRAFT: Literal["draft"] = "draft"
PUBLIC: Literal["public"] = "public"
# As long as gives articles 2,500 bytes, and readers 5,000.
TITLE, TEXT, NOTES = "x" * 1150, "x" * 1219, "x" * 4895


def sized(item: E, field: str, size: int) -> E:
    """Return the item with as long a text in the field as gives it this size."""
    missing = size - item_size(model_of(type(item)).item(vars(item)))
    return evolve(item, **{field: "x" * missing})


def author(name: str) -> Author:
    return sized(Author(name=name, email=f"{name}@example.org"), "bio", 900)


def article(number: int, **values: Any) -> Article:
    """Return one of ten articles of an author; of all of them, 30 percent are drafts."""
    defaults: dict[str, Any] = {
        "author": f"a{number % 4}",
        "title": f"{number:02}" + TITLE,
        "day": date(2026, 1, 1 + number % 10),
        "status": DRAFT if number % 10 < 3 else PUBLIC,
        "text": TEXT,
    }
    return Article(**defaults | values)


def reader(name: str) -> Reader:
    return Reader(name=name, notes=NOTES)


def session(number: int, device: str = "") -> Session:
    device = device or f"d{number % 3}"
    return Session(reader=f"r{number // 3:02}", device=device + "x" * 50, ends=LATER)


def building(number: int, name: str = "b") -> Building:
    place: dict[str, Any] = {
        "city": f"c{number % 2}",
        "street": f"s{number // 2 % 2}",
        "height": number,
    }
    return Building(name=f"{name}{number:02}" + "x" * 33, **place)


def vote(number: int, voter: str = "v") -> Vote:
    item = Vote(topic=f"t{number % 2}", voter=f"{voter}{number:02}")
    return sized(item, "choice", 200)


def news_items() -> Iterable[Entity]:
    yield from (author(f"a{number}") for number in range(4))
    yield from (article(number) for number in range(40))
    yield from (reader(f"r{number:02}") for number in range(20))
    yield from map(session, range(60))
    yield from map(building, range(40))
    yield from map(vote, range(80))


def key_of_article(number: int) -> Any:
    """Return the key of an article: each author has ten, which are numbered from 1."""
    return Article.key(f"a{number % 4}", 1 + number // 4)


def sign_in(store: Store, number: int) -> None:
    with store.transaction() as transaction:
        transaction.check(Reader.key(f"r{number % 20:02}"))
        transaction.create(session(number, f"new{number:02}"))


def exchange_authors(store: Store, number: int) -> None:
    with store.transaction() as transaction:
        transaction.create(author(f"b{number}"))
        transaction.delete(Author.key(f"a{number}"))


def replace_article(store: Store, number: int) -> None:
    """Replace an article by one with other texts, every second of them on another day."""
    changed = {"day": date(2026, 2, 1)} if number % 2 else {}
    item = article(number, title=f"{number:02}" + TITLE.upper(), **changed)
    item.number, item.version = 1 + number // 4, 1
    store.put(item)


NewsCall = Callable[[Store, int], object]
# How often to call each pattern, and how.
NEWS: dict[str, tuple[int, NewsCall]] = {
    "R1": (4, lambda s, i: s.get(Author.key(f"a{i}"))),
    "R2": (4, lambda s, i: s.get(Reader.key(f"r{i:02}"), consistent=True)),
    "R3": (4, lambda s, i: s.find(Author.one_email(f"a{i}@example.org"))),
    "R4": (4, lambda s, i: list(s.query(Article.key.partition(f"a{i}"), limit=5))),
    "R5": (4, lambda s, i: list(s.query(Article.key.partition(f"a{i}"), limit=8))),
    "R6": (4, lambda s, i: list(s.select(Article.written(f"a{i}"), Article.title, limit=6))),
    "R7": (4, lambda s, i: list(s.hydrate(Article.written(f"a{i}"), limit=3))),
    "R8": (4, lambda s, i: s.collect(AuthorPage, Author.key.partition(f"a{i}"))),
    "R9": (2, lambda s, i: list(s.query(Vote.key.partition(f"t{i}")))),
    "R10": (4, lambda s, i: list(s.query(Article.drafts(), limit=10))),
    "R11": (4, lambda s, i: list(s.query(Building.placed(f"c{i % 2}", f"s{i // 2}"), limit=3))),
    "R12": (4, lambda s, i: s.get_many([Reader.key(f"r{i + n:02}") for n in range(5)])),
    "R13": (4, lambda s, i: list(s.hydrate(Article.on_day(date(2026, 1, 1 + i)), limit=3))),
    "R14": (4, lambda s, i: list(s.query(Reader.recent(), limit=4))),
    "R15": (1, lambda s, i: list(s.admin.scan(Author))),
    "W1": (4, lambda s, i: s.create(author(f"b{i}"))),
    "W2": (40, lambda s, i: s.create(article(i, author="a0"))),
    "W3": (40, lambda s, i: s.update(key_of_article(i), Article.title.set("Changed"))),
    "W4": (40, lambda s, i: s.update(key_of_article(i), Article.text.set(TEXT.upper()))),
    "W5": (
        40,
        lambda s, i: s.update(
            key_of_article(i), Article.status.set(PUBLIC if i % 10 < 3 else DRAFT)
        ),
    ),
    "W6": (40, lambda s, i: s.update(key_of_article(i), Article.day.set(date(2026, 3, 1)))),
    "W7": (4, lambda s, i: s.update(Author.key(f"a{i}"), Author.email.set(f"b{i}@x.org"))),
    "W8": (4, lambda s, i: s.update(Author.key(f"a{i}"), Author.bio.set("y" * 800))),
    "W9": (40, replace_article),
    "W10": (
        4,
        lambda s, i: s.modify(Reader.key(f"r{i:02}"), lambda r: evolve(r, notes=NOTES.upper())),
    ),
    "W11": (
        4,
        lambda s, i: s.upsert(
            key_of(session(i)), Session.hits.add(1), on_create=[Session.ends.set(LATER)]
        ),
    ),
    "W12": (40, lambda s, i: s.delete(key_of_article(i))),
    "W13": (4, lambda s, i: s.delete(Author.key(f"a{i}"))),
    "W14": (4, sign_in),
    "W15": (4, lambda s, i: s.delete_many([key_of(session(5 * i + n)) for n in range(5)])),
    "W16": (40, lambda s, i: s.put(vote(i, "w"))),
    "W17": (4, lambda s, i: s.bulk_load([building(8 * i + n, "n") for n in range(8)])),
    "W18": (4, lambda s, i: s.delete_partition(Reader.key.partition(f"r{i:02}"))),
    "W19": (40, lambda s, i: s.update(key_of(building(i)), Building.street.set("s9"))),
    "W20": (4, exchange_authors),
}


def transfer(number: int, name: str = "t") -> Transfer:
    """Return a transfer: half of them are external, a quarter reversals, half are in a batch."""
    return Transfer(
        number=f"{name}{number:02}",
        external=f"{name}-e{number}" if number % 2 else None,
        reverses=f"{name}-r{number}" if number // 2 % 4 == 0 else None,
        batch=f"b{number % 4}" if number // 8 % 2 else None,
    )


def ledger_items() -> Iterable[Entity]:
    yield from (Batch(name=f"b{number}") for number in range(4))
    yield from map(transfer, range(80))


LEDGER: dict[str, tuple[int, NewsCall]] = {
    "R1": (40, lambda s, i: s.find(Transfer.one_external(f"t-e{2 * i + 1}"))),
    "W1": (80, lambda s, i: s.create(transfer(i, "n"))),
    "W2": (80, lambda s, i: s.delete(key_of(transfer(i)))),
    "W3": (80, lambda s, i: s.update(key_of(transfer(i)), Transfer.note.set("new"))),
    "W4": (80, lambda s, i: s.put(evolve(transfer(i), note="new"))),
}


def consumed(
    catalog: PatternCatalog, items: Iterable[Entity], times: int, call: NewsCall
) -> dict[tuple[str, str], float]:
    """Return the units of one call on average, by index and kind."""
    seen: list[Call] = []
    with Engine.in_memory() as engine:
        store = Store(engine)
        for table in catalog.tables:
            store.admin.create_table(table)
        for item in items:
            store.create(item)
        observed = Store(engine, observers=[seen.append])
        for number in range(times):
            call(observed, number)
    units: dict[tuple[str, str], float] = defaultdict(float)
    for one in (part for made in seen for part in units_of(made)):
        units[one.index, one.kind] += one.units / times
    return {place: number for place, number in units.items() if number}


def planned(catalog: PatternCatalog, code: str) -> dict[tuple[str, str], float]:
    (plan,) = [one for one in create_plan([catalog]).patterns if one.pattern.code == code]
    units: dict[tuple[str, str], float] = defaultdict(float)
    for part in plan.estimate.parts:
        units["" if part.index is None else part.index.name, part.kind] += part.units
    return {place: number for place, number in units.items() if number}


@pytest.mark.parametrize("code", NEWS)
def test_plan_of_every_rule_is_what_the_engine_consumes(code: str) -> None:
    catalog = news_catalog()
    used = consumed(catalog, news_items(), *NEWS[code])
    assert used == pytest.approx(planned(catalog, code), rel=0.02)


@pytest.mark.parametrize("code", LEDGER)
def test_plan_of_optional_values_is_what_the_engine_consumes(code: str) -> None:
    catalog = ledger_catalog()
    used = consumed(catalog, ledger_items(), *LEDGER[code])
    assert used == pytest.approx(planned(catalog, code), rel=0.02)


def test_every_pattern_is_called() -> None:
    for catalog, calls in ((news_catalog(), NEWS), (ledger_catalog(), LEDGER)):
        assert {pattern.code for pattern in catalog} == set(calls)
