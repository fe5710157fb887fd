"""Advice: each kind is given for its problem, and not without it.

The savings are compared with the plan of the changed design in test_savings.py.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import (
    Attr,
    Count,
    Entity,
    Index,
    ItemCount,
    Key,
    LocalIndex,
    PatternCatalog,
    Selection,
    Shards,
    Table,
    Unique,
    attr,
    checks,
    creates,
    deletes,
    expires,
    padded,
    per_day,
    per_hour,
    per_minute,
    per_second,
    puts,
    uniform,
    updates,
    zipf,
)
from singletable.prices import region_prices
from singletable.schema import model_of
from singletable.store import EntityAccess
from singletable_design import planning
from singletable_design.planning.advice import KINDS

by_state = Index("by_state", pk="GSI1PK", sk="GSI1SK")
by_owner = Index("by_owner", pk="GSI2PK", sk="GSI2SK", projection="KEYS_ONLY")
tickets = Table("tickets", indexes=[by_state, by_owner], ttl="ends")


class Team(Entity, table=tickets):
    name: Attr[str] = attr()
    members: Attr[int] = attr(default=0)

    key = Key(pk=("TEAM", name), sk="TEAM")


class Member(Entity, table=tickets):
    team: Attr[str] = attr()
    name: Attr[str] = attr()

    key = Key(pk=("TEAM", team), sk=("MEMBER", name))
    counted = Count(Team, Team.members, key=(team,))


class Ticket(Entity, table=tickets):
    team: Attr[str] = attr()
    number: Attr[int] = attr()
    state: Attr[Literal["open", "waiting", "done", "void"]] = attr(default="open")
    owner: Attr[str] = attr()
    votes: Attr[int] = attr(default=0)
    text: Attr[str] = attr(default="")

    key = Key(pk=("TEAM", team), sk=("TICKET", padded(number, 6)))
    in_state = Key(pk=("STATE", state), sk=padded(number, 6)).on(by_state)
    owned = Key(pk=("OWNER", owner), sk=padded(number, 6)).on(by_owner)


class Visit(Entity, table=tickets):
    page: Attr[str] = attr()
    number: Attr[int] = attr()
    ends: Attr[datetime | None] = expires(default=None)

    key = Key(pk="VISITS", sk=("VISIT", padded(number, 9)))


class Event(Entity, table=tickets):
    source: Attr[str] = attr()
    number: Attr[int] = attr()

    key = Key(pk=("EVENTS", source), sk=("EVENT", padded(number, 9)))


class Reading(Entity, table=Table("days")):
    day: Attr[date] = attr()
    sensor: Attr[str] = attr()

    key = Key(pk=("DAY", day), sk=sensor)


recent = Index("recent", pk="GSI1PK", sk="GSI1SK")


class Page(Entity, table=Table("pages", indexes=[recent])):
    name: Attr[str] = attr()
    edited: Attr[datetime] = attr()

    key = Key(pk=("PAGE", name), sk="PAGE")
    recent = Key(pk="PAGES", sk=edited).on(recent)


class Click(Entity, table=Table("sharded")):
    number: Attr[int] = attr()

    key = Key(pk=("CLICKS", Shards(3, by=number)), sk=padded(number, 9))


class Account(Entity, table=Table("accounts")):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    phone: Attr[str] = attr()

    key = Key(pk=("ACCOUNT", name), sk="ACCOUNT")
    one_email = Unique(email)
    one_phone = Unique(phone)


class Line(Entity, table=Table("lines")):
    source: Attr[str] = attr()
    number: Attr[int] = attr()

    key = Key(pk=("SOURCE", source), sk=padded(number, 9))


class LocalLine(Entity, table=Table("local", indexes=[LocalIndex("by_time", sk="LSI1SK")])):
    source: Attr[str] = attr()
    number: Attr[int] = attr()

    key = Key(pk=("SOURCE", source), sk=padded(number, 9))


overloaded = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
shared = Table("overloaded", indexes=[overloaded])


class Note(Entity, table=shared):
    name: Attr[str] = attr()
    tag: Attr[str] = attr()

    key = Key(pk=("NOTE", name), sk="NOTE")
    tagged = Key(pk=("TAG", tag), sk=name).on(overloaded)


class Picture(Entity, table=shared):
    name: Attr[str] = attr()
    tag: Attr[str] = attr()

    key = Key(pk=("PICTURE", name), sk="PICTURE")
    tagged = Key(pk=("PICTURES", tag), sk=name).on(overloaded)


State: TypeAlias = Literal["open", "done", "void", "lost"]
by_job = Index("by_state", pk="GSI1PK", sk="GSI1SK")
by_open_job = Index("by_state", pk="GSI1PK", sk="GSI1SK")


class Job(Entity, table=Table("jobs", indexes=[by_job])):
    number: Attr[int] = attr()
    state: Attr[State] = attr()

    key = Key(pk=("JOB", number), sk="JOB")
    in_state = Key(pk=("STATE", state), sk=padded(number, 6)).on(by_job)


class SparseJob(Entity, table=Table("sparse", indexes=[by_open_job])):
    number: Attr[int] = attr()
    state: Attr[State] = attr()

    key = Key(pk=("JOB", number), sk="JOB")
    in_state = Key(pk=("STATE", state), sk=padded(number, 6)).on(by_open_job, when=state == "open")


# Designs: patterns with the codes A, B and so on, in the catalog `t`.

Declared: TypeAlias = Callable[[PatternCatalog, str], object]


def read(access: Any, rate: Any = None, **options: Any) -> Declared:
    return lambda made, code: made.read(code, f"Read {code}", access, **_rated(rate), **options)


def write(*effects: EntityAccess, rate: Any = None, **options: Any) -> Declared:
    return lambda made, code: made.write(code, f"Write {code}", *effects, **_rated(rate), **options)


def scan(entity: type[Entity], rate: Any) -> Declared:
    return lambda made, code: made.scan(code, f"Scan {code}", entity, reason="a report", rate=rate)


def calls(function: Callable[[], Selection[Any]], rate: float) -> Declared:
    return lambda made, code: made.read_function(code, items=10, rate=per_second(rate))(function)


def _rated(rate: Any) -> dict[str, Any]:
    return (
        {} if rate is None else {"rate": per_second(rate) if type(rate) in (int, float) else rate}
    )


def design(*patterns: Declared, table: Table = tickets, **arguments: Any) -> PatternCatalog:
    made = PatternCatalog("t", table, **arguments)
    for code, declare in zip("ABCDEFG", patterns, strict=False):
        declare(made, code)
    return made


def open_jobs() -> Selection[Any]:
    """Open jobs."""
    return Job.in_state("open")


def open_sparse_jobs() -> Selection[Any]:
    """Open jobs."""
    return SparseJob.in_state("open")


def unowned() -> Selection[Any]:
    """Tickets without an owner."""
    return Ticket.owned("nobody")


def visits(rate: float, effect: EntityAccess) -> PatternCatalog:
    reads = read(Visit.key.partition, 2, items=10)
    return design(write(effect, rate=rate), reads, sizes={Visit: 100})


def team(*patterns: Declared, teams: int = 1) -> PatternCatalog:
    return design(*patterns, sizes={Team: 100}, values=[uniform(Team.name, teams)])


def tickets_at(rate: float, *patterns: Declared, **arguments: Any) -> PatternCatalog:
    return design(write(creates(Ticket), rate=rate), *patterns, sizes={Ticket: 3000}, **arguments)


def owners(exponent: float) -> PatternCatalog:
    values = [zipf(Ticket.owner, 1000, exponent)]
    rate = per_second(400, peak=2000)
    return design(write(creates(Ticket), rate=rate), sizes={Ticket: 500}, values=values)


def joins(teams: int, **options: Any) -> PatternCatalog:
    return team(write(creates(Member), rate=500, **options), teams=teams)


def collection(entity: Any) -> PatternCatalog:
    values, counts = [uniform(entity.source, 8)], {entity: 100_000_000}
    table = model_of(entity).table
    return design(table=table, sizes={entity: 900}, counts=counts, values=values)


def filtered(scanned: int | None, *patterns: Declared) -> PatternCatalog:
    few = read(Ticket.key.partition, 20, items=10, scanned=scanned)
    return design(few, write(creates(Ticket), rate=1), *patterns, sizes={Ticket: 1000})


def query(items: int, rate: Any = 1) -> PatternCatalog:
    return design(read(Ticket.key.partition, rate, items=items), sizes={Ticket: 1000})


def edits(size: int, field: Any) -> PatternCatalog:
    return design(write(updates(Ticket, field), rate=10), sizes={Ticket: size})


def moves(field: Any, *patterns: Declared) -> PatternCatalog:
    return design(write(updates(Ticket, field), rate=50), *patterns, sizes={Ticket: 500})


def entries_of(size: int) -> PatternCatalog:
    reads = read(Ticket.in_state, 1, items=5)
    return design(write(creates(Ticket), rate=20), reads, sizes={Ticket: size})


def gets(members: int, rate: float) -> PatternCatalog:
    counts = {Team: 1000, Member: members, Ticket: 0}
    two = (read(Team.key, 500), read(Member.key, rate))
    return design(*two, sizes={Team: 300, Member: 200}, counts=counts)


def events(rate: float, **arguments: Any) -> PatternCatalog:
    return design(write(creates(Event), rate=rate), sizes={Event: 500}, **arguments)


def grows(rate: float, count: int = 10_000, *patterns: Declared) -> PatternCatalog:
    new = write(creates(Ticket), rate=rate)
    return design(new, *patterns, sizes={Ticket: 500}, counts={Ticket: count})


def keeps(entity: type[Entity], rate: float, *patterns: Declared) -> PatternCatalog:
    return design(write(creates(entity), rate=rate), *patterns, sizes={entity: 2000})


def puts_at(**hours: Any) -> PatternCatalog:
    return design(write(puts(Team), rate=per_second(100, **hours)), sizes={Team: 500})


# The design, the kind of advice, its severity (None: it is not given), and what it says.
ROWS: dict[str, tuple[PatternCatalog, str, str | None, tuple[str, ...]]] = {
    "a constant partition key needs shards": (
        visits(1500, creates(Visit)), "hot-key-write", "high", (
            "VISITS of tickets receives 1,500 write units a second",
            # 1,500 ÷ 500, so that twice the load fits.
            'key = Key(pk=("VISITS", Shards(3, by=number)), …)',
            "t:B then costs 1.5 instead of 0.5 read units a call",
        ),
    ),
    "a key that DynamoDB can divide, below the limit": (
        visits(999, puts(Visit)), "hot-key-write", None, (),
    ),
    "a key that DynamoDB can divide, above the limit": (
        visits(1001, puts(Visit)), "hot-key-write", "medium", ("divides such a key",),
    ),
    "an item at the limit": (
        team(write(updates(Team, Team.members), rate=1000)), "hot-key-write", "high",
        ("Spread the Team over 2 items",),
    ),
    "an item near the limit": (
        team(write(updates(Team, Team.members), rate=750)), "hot-key-write", "medium",
        ("Spread the Team over 2 items",),
    ),
    "an item below the limit": (
        team(write(updates(Team, Team.members), rate=600)), "hot-key-write", None, (),
    ),
    "a popular value of an index": (
        owners(2), "hot-key-write", "any", ("OWNER#owner-1 of tickets/by_owner",),
    ),
    "a date in a partition key, of today": (
        design(
            write(puts(Reading), rate=2000), table=model_of(Reading).table, sizes={Reading: 100},
            counts={Reading: 10_000_000},
        ),
        "hot-key-write", "any", ('pk=("DAY", day, Shards(4, by=sensor))',),
    ),
    # DynamoDB cannot divide a key at whose end everything is written.
    "an index at whose end all updates are": (
        design(
            write(updates(Page, Page.edited), rate=600), table=model_of(Page).table,
            sizes={Page: 100},
        ),
        "hot-key-write", "high", (
            "No pattern reads Page.recent: remove it.",
            'recent = Key(pk=("PAGES", Shards(3, by=name)), …)',
        ),
    ),
    "shards": (
        design(
            write(creates(Click), rate=1500), table=model_of(Click).table, sizes={Click: 100}
        ),
        "hot-key-write", None, (),
    ),
    # 1,500 of 5,000 units may reach the table.
    "a popular item needs a cache": (
        team(read(Team.key, per_second(5_000, peak=10_000))), "hot-key-read", "high",
        ("Cache what t:A reads: a hit rate of 70%",),
    ),
    "nothing to read": (design(), "hot-key-read", None, ()),
    "a counter in many transactions": (
        joins(10), "contended-item", "high",
        ("50 transactions a second of t:A", "remove the Count of Team"),
    ),
    "counters of many items": (joins(1000), "contended-item", None, ()),
    "uneven calls": (joins(1000, skew=1.2), "contended-item", "any", ()),
    "an item that many transactions check": (
        team(write(creates(Ticket), checks(Team), rate=100), teams=10), "contended-item", "medium",
        ("outside the transaction",),
    ),
    "two creates in a transaction": (
        design(write(creates(Ticket), creates(Event), rate=100)), "transaction", "any", (),
    ),
    "two creates without a transaction": (
        design(write(creates(Ticket), rate=100), write(creates(Event), rate=100)),
        "transaction", None, (),
    ),
    "a rare transaction": (
        design(write(creates(Ticket), creates(Event), rate=per_minute(1))), "transaction", None, (),
    ),
    "a transaction for unique values": (
        design(write(creates(Account), rate=100), table=model_of(Account).table),
        "unique-value", "any", ("Must Account.one_email and Account.one_phone be unique",),
    ),
    "a unique value by which items are found": (
        design(
            write(creates(Account), rate=100), read(Account.one_email, 1),
            table=model_of(Account).table,
        ),
        "unique-value", "any", ("Must Account.one_phone be unique",),
    ),
    "unique values are no question about the transaction": (
        design(write(creates(Account), rate=100), table=model_of(Account).table),
        "transaction", None, (),
    ),
    "a transaction for a count": (
        joins(1000), "count", "any",
        ("Member.counted changes Team.members", "remove the Count"),
    ),
    "a count is no question about the transaction": (joins(1000), "transaction", None, ()),
    "10 GB under a key, with a local index": (
        collection(LocalLine), "large-collection", "high", ("11.6 GB",),
    ),
    "10 GB under a key, without one": (collection(Line), "large-collection", None, ()),
    "an index with a reader, however rare": (
        tickets_at(
            10, read(Ticket.in_state, items=10), read(Ticket.owned, per_minute(1), items=10)
        ),
        "unused-index", None, (),
    ),
    "a key of an overloaded index without readers": (
        design(
            write(creates(Note), rate=10), write(creates(Picture), rate=10),
            read(Note.tagged, 1, items=10), table=shared, sizes={Note: 500, Picture: 500},
        ),
        "unused-key", "any", ("Picture.tagged",),
    ),
    "an index that is queried for one value": (
        design(
            calls(open_jobs, 1), write(creates(Job), rate=10),
            write(updates(Job, Job.state), rate=10), table=model_of(Job).table, sizes={Job: 500},
            counts={Job: 1000},
        ),
        "sparse-index", "any", ("when=state == 'open'",),
    ),
    "an index that is sparse already": (
        design(
            calls(open_sparse_jobs, 1), write(creates(SparseJob), rate=10),
            write(updates(SparseJob, SparseJob.state), rate=10), table=model_of(SparseJob).table,
            sizes={SparseJob: 500},
            counts={SparseJob: ItemCount(1000, shares={"in_state": 0.25})},
        ),
        "sparse-index", None, (),
    ),
    "a value of an unknown number of values": (
        tickets_at(100, calls(unowned, 1)), "sparse-index", None, (),
    ),
    "a value that callers choose": (
        tickets_at(100, read(Ticket.in_state, 1, items=10)), "sparse-index", None, (),
    ),
    "an index of whole items that would cost more": (
        design(
            read(Ticket.owned, per_minute(1), items=20),
            write(updates(Ticket, Ticket.text), rate=100), sizes={Ticket: 3000},
        ),
        "larger-projection", None, (),
    ),
    "wide entries": (entries_of(5000), "smaller-projection", "low", ()),
    "narrow entries": (entries_of(1500), "smaller-projection", None, ()),
    "an index key that changes often": (
        moves(Ticket.state, read(Ticket.in_state, 1, items=5)), "moving-key", "any",
        ("t:A changes state",),
    ),
    "a field in no index key": (
        moves(Ticket.text, read(Ticket.in_state, 1, items=5)), "moving-key", None, (),
    ),
    # There is better advice: to remove the index.
    "a key of an index that nothing reads": (moves(Ticket.state), "moving-key", None, ()),
    "a filter that drops most items": (
        filtered(1000), "filter-waste", "any",
        ("1,000 Ticket items a call, and its filter keeps 10",),
    ),
    "no filter": (filtered(None), "filter-waste", None, ()),
    "a filter that keeps everything": (filtered(10), "filter-waste", None, ()),
    "a filter that keeps much": (filtered(25), "filter-waste", None, ()),
    "a filter that costs less than an index": (
        filtered(40, write(updates(Ticket, Ticket.text), rate=100)), "filter-waste", None, (),
    ),
    "a declared filter of one item": (
        design(read(Ticket.key, 100, items=1, scanned=1000)), "filter-waste", None, (),
    ),
    "a frequent scan": (
        design(
            scan(Team, per_hour(6)), counts={Ticket: 90_000, Team: 10_000},
            sizes={Ticket: 1000, Team: 1000},
        ),
        "scan", "any", ("10% of tickets",),
    ),
    "a nightly scan": (
        design(scan(Team, per_day(1)), counts={Ticket: 90_000}, sizes={Ticket: 1000}),
        "scan", None, (),
    ),
    "a scan of everything": (
        design(scan(Ticket, per_hour(6)), counts={Ticket: 90_000}, sizes={Ticket: 1000}),
        "scan", "any", ("patterns.feed",),
    ),
    "a query of very many items": (query(5000), "large-query", "any", ("4.77 MB in 5 requests",)),
    "a query of many items": (query(500), "large-query", None, ()),
    "a rare query of very many items": (query(5000, per_day(1)), "large-query", None, ()),
    "strong consistency": (
        design(read(Ticket.key, 500, consistent=True), sizes={Ticket: 1000}),
        "consistent-read", "any", (),
    ),
    "eventual consistency": (
        design(read(Ticket.key, 500), sizes={Ticket: 1000}), "consistent-read", None, (),
    ),
    "strong consistency for a few dollars": (
        design(read(Ticket.key, 20, consistent=True), sizes={Ticket: 1000}),
        "consistent-read", None, (),
    ),
    "gets of one partition at one rate": (gets(5000, 500), "joined-reads", "any", ()),
    "gets of one partition of 100 KB": (gets(500_000, 500), "joined-reads", None, ()),
    "gets of one partition at two rates": (gets(5000, 20), "joined-reads", None, ()),
    "an item near 400 KB": (design(sizes={Ticket: 350_000}), "large-item", "high", ()),
    "an item of 300 KB": (design(sizes={Ticket: 300_000}), "large-item", None, ()),
    "a small update of a large item": (
        edits(40_000, Ticket.votes), "large-update", "any", ("changes votes of a Ticket",),
    ),
    "an update of the large part": (edits(40_000, Ticket.text), "large-update", None, ()),
    "an update of a small item": (edits(1000, Ticket.votes), "large-update", None, ()),
    "rates are missing": (
        design(read(Ticket.key), read(Team.key)), "missing-rate", "any", ("t:A and t:B",),
    ),
    "sizes are missing": (
        design(read(Team.key), sizes={Ticket: 500}), "missing-size", "any", ("Team",),
    ),
    "values that could make a hot key": (
        events(900), "missing-values", "any", ("zipf(Event.source, 200)",),
    ),
    "values that could make no hot key": (events(500), "missing-values", None, ()),
    "values that are declared": (
        events(900, values=[uniform(Event.source, 50)]), "missing-values", None, (),
    ),
    "a count that the rates contradict": (
        grows(50), "growing-count", "any",
        ("131,400,000 new Ticket items a month", "10,000 in all"),
    ),
    "a count of slow growth": (grows(0.003), "growing-count", None, ()),
    "a count of a month": (grows(50, 200_000_000), "growing-count", None, ()),
    "a count in balance": (
        grows(50, 10_000, write(deletes(Ticket), rate=50)), "growing-count", None, (),
    ),
    "items that only accumulate": (keeps(Event, 50), "missing-ttl", "any", ("expires()",)),
    "few items that accumulate": (keeps(Event, 0.01), "missing-ttl", None, ()),
    "items that expire": (keeps(Visit, 50), "missing-ttl", None, ()),
    "items that are deleted": (keeps(Event, 50, write(deletes(Event))), "missing-ttl", None, ()),
    "an even load with known hours": (puts_at(peak=120), "billing-mode", "any", ("auto scaling",)),
    "a peak for which auto scaling is too slow": (puts_at(peak=1000), "billing-mode", None, ()),
    "unknown hours": (puts_at(), "billing-mode", None, ()),
    "tables that are rarely read": (
        design(read(Ticket.key, 1), sizes={Ticket: 1000}, counts={Ticket: 1_000_000_000}),
        "billing-mode", "any", ("Standard-IA",),
    ),
}  # fmt: skip


def found_in(made: PatternCatalog, kind: str) -> list[planning.Advice]:
    return [one for one in planning.advise(planning.create_plan([made])) if one.kind == kind]


@pytest.mark.parametrize("name", ROWS)
def test_advice_is_given_for_its_problem_only(name: str) -> None:
    made, kind, severity, texts = ROWS[name]
    found = found_in(made, kind)
    assert bool(found) == (severity is not None)
    for one in found:
        assert severity in (one.severity, "any")
        assert one.problem.endswith(".")
        assert one.change.endswith((".", "?"))
    words = " ".join(f"{one.problem} {one.change}" for one in found)
    assert [text for text in texts if text not in words] == []


def test_every_kind_has_rows() -> None:
    elsewhere = {"unused-index", "larger-projection", "missing-count"}
    assert {kind for _, kind, severity, _ in ROWS.values() if severity} | elsewhere == {*KINDS}


def test_even_values_of_an_index_are_not_hot() -> None:
    keys = [one.problem for one in found_in(owners(0), "hot-key-write")]
    assert not any("OWNER" in one for one in keys)


def test_unused_index_costs_its_writes() -> None:
    made = tickets_at(10, counts={Ticket: 1000})
    state, owner = sorted(found_in(made, "unused-index"), key=lambda one: one.subject)[::-1]
    assert state.subject == "tickets/by_state"
    assert (state.saves_write_units, owner.saves_write_units) == (30, 10)
    assert state.saves_bytes == 1000 * 3100
    assert state.saves_dollars == pytest.approx(30 * 2.628 * 0.625, rel=0.01)
    never = tickets_at(10, read(Ticket.in_state, 0))
    assert len(found_in(never, "unused-index")) == 2


def test_unused_index_with_a_reason_is_only_mentioned() -> None:
    unused = {by_state: "the reports of next year", by_owner: "an experiment"}
    advice = found_in(design(write(creates(Ticket), rate=10), unused=unused), "unused-index")
    assert {one.severity for one in advice} == {"low"}
    assert any("the reports of next year" in one.problem for one in advice)


def test_missing_counts_are_listed_once() -> None:
    made = design(read(Ticket.key), read(Team.key), sizes={Ticket: 500}, counts={Ticket: 10})
    (advice,) = found_in(made, "missing-count")
    assert "Team" in advice.problem
    assert "Ticket" not in advice.problem


def test_complete_declarations_miss_nothing() -> None:
    every = dict.fromkeys(tickets.entities, 100)
    made = design(read(Ticket.key, 1), sizes=every, counts=every)
    made.feed("F", "Changes", Ticket)
    for kind in ("missing-rate", "missing-size", "missing-count"):
        assert not found_in(made, kind)


def test_advice_starts_with_what_fails_and_then_what_saves_most() -> None:
    votes = write(updates(Ticket, Ticket.votes), rate=50)
    made = tickets_at(100, votes, counts={Ticket: 10})
    advice = planning.advise(planning.create_plan([made]))
    assert [one.severity != "high" for one in advice] == sorted(
        one.severity != "high" for one in advice
    )
    savings = [one.saves_dollars for one in advice if one.severity != "high"]
    assert savings == sorted(savings, reverse=True)
    assert {one.kind for one in advice} <= set(KINDS)


def test_guide_explains_every_kind() -> None:
    guide = Path(__file__).parents[4] / "docs/guide/advice.md"
    text = guide.read_text()
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []


def test_prices_of_another_region_change_the_dollars_only() -> None:
    plan = planning.create_plan([tickets_at(100)])
    normal = region_prices()
    double = normal.with_amounts({"on_demand_write": 2 * normal.amount("on_demand_write")})
    first, second = (
        [one for one in planning.advise(plan, prices) if one.kind == "unused-index"]
        for prices in (normal, double)
    )
    assert [2 * one.saves_dollars for one in first] == [one.saves_dollars for one in second]


def test_design_without_load_gets_no_advice_but_to_declare_it() -> None:
    made = design(read(Ticket.in_state), read(Ticket.owned))
    kinds = {one.kind for one in planning.advise(planning.create_plan([made]))}
    assert kinds == {"missing-rate", "missing-size", "missing-count"}


@given(
    st.floats(0, 1e6),
    st.integers(1, 400_000),
    st.integers(0, 10**9),
    st.integers(1, 10**6),
    st.floats(0, 3),
    st.integers(1, 3000),
)
def test_advice_promises_finite_savings_of_no_more_than_the_bill(
    rate: float, size: int, count: int, values: int, skew: float, items: int
) -> None:
    made = design(
        read(Ticket.owned, rate, items=items),
        read(Ticket.key.partition, 1, items=1, scanned=items),
        read(Ticket.key, rate, consistent=True),
        write(creates(Ticket), checks(Team), rate=rate),
        write(updates(Ticket, Ticket.votes), rate=rate),
        write(creates(Member), rate=per_second(rate, peak=2 * rate)),
        scan(Team, per_hour(2)),
        sizes={Ticket: size, Member: min(size, 1000)},
        counts={Ticket: count, Team: count // 10},
        values=[zipf(Ticket.owner, values, skew), uniform(Team.name, values)],
    )
    plan = planning.create_plan([made])
    bill = planning.monthly_cost(planning.loads_of(plan), region_prices()).cost
    for advice in planning.advise(plan):
        assert advice.saves_dollars <= bill * 1.001
        assert advice.saves_read_units <= plan.read.average * 1.001
        assert advice.saves_write_units <= plan.write.average * 1.001
