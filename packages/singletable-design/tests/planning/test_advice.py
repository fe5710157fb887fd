"""Advice: each kind is given for its problem, not without it, and its change saves what it says."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any, Literal

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


def catalog(**arguments: Any) -> PatternCatalog:
    return PatternCatalog("t", tickets, **arguments)


def found_in(made: PatternCatalog, kind: str) -> list[planning.Advice]:
    return [one for one in planning.advise(planning.create_plan([made])) if one.kind == kind]


def only(made: PatternCatalog, kind: str) -> planning.Advice:
    (advice,) = found_in(made, kind)
    assert advice.problem.endswith(".")
    assert advice.change.endswith((".", "?"))
    return advice


def units(made: PatternCatalog) -> tuple[float, float]:
    plan = planning.create_plan([made])
    return plan.read.average, plan.write.average


# Hot keys.


def visits(rate: float, effect: EntityAccess = creates(Visit)) -> PatternCatalog:  # noqa: B008
    made = catalog(sizes={Visit: 100})
    made.write("W", "A visit", effect, rate=per_second(rate))
    made.read("R", "Visits", Visit.key.partition, items=10, rate=per_second(2))
    return made


def test_constant_partition_key_that_is_written_often_needs_shards() -> None:
    advice = only(visits(1500), "hot-key-write")
    assert "VISITS of tickets receives 1,500 write units a second" in advice.problem
    # 1,500 ÷ 500, so that twice the load fits.
    assert 'key = Key(pk=("VISITS", Shards(3, by=number)), …)' in advice.change
    assert "t:R then costs 1.5 instead of 0.5 read units a call" in advice.change
    assert advice.saves_read_units == -(1.5 - 0.5) * 2


@pytest.mark.parametrize(("rate", "severity"), [(999, None), (1001, "medium")])
def test_key_that_dynamodb_can_divide_is_a_problem_only_above_the_limit(
    rate: float, severity: str | None
) -> None:
    assert [one.severity for one in found_in(visits(rate, puts(Visit)), "hot-key-write")] == (
        [severity] if severity else []
    )


@pytest.mark.parametrize(("rate", "severity"), [(1000, "high"), (750, "medium"), (600, None)])
def test_item_that_is_written_often_is_a_hot_key(rate: float, severity: str | None) -> None:
    made = catalog(sizes={Team: 100}, values=[uniform(Team.name, 1)])
    made.write("W", "Rename", updates(Team, Team.members), rate=per_second(rate))
    advice = found_in(made, "hot-key-write")
    assert [one.severity for one in advice] == ([severity] if severity else [])
    if advice:
        assert "Spread the Team over 2 items" in advice[0].change


def test_popular_value_of_an_index_is_a_hot_key() -> None:
    def made(values: int, exponent: float) -> PatternCatalog:
        one = catalog(sizes={Ticket: 500}, values=[zipf(Ticket.owner, values, exponent)])
        one.write("W", "Create", creates(Ticket), rate=per_second(400, peak=2000))
        return one

    keys = [one.problem for one in found_in(made(1000, 2), "hot-key-write")]
    assert any("OWNER#owner-1 of tickets/by_owner" in one for one in keys)
    keys = [one.problem for one in found_in(made(1000, 0), "hot-key-write")]
    assert not any("OWNER" in one for one in keys)


def test_date_in_a_partition_key_is_hot_because_everything_is_written_today() -> None:
    table = Table("days")

    class Reading(Entity, table=table):
        day: Attr[date] = attr()
        sensor: Attr[str] = attr()

        key = Key(pk=("DAY", day), sk=sensor)

    made = PatternCatalog("days", table, sizes={Reading: 100}, counts={Reading: 10_000_000})
    made.write("W", "A reading", puts(Reading), rate=per_second(2000))
    (advice,) = found_in(made, "hot-key-write")
    assert 'pk=("DAY", day, Shards(4, by=sensor))' in advice.change


def test_index_at_whose_end_all_updates_are_is_a_hot_key() -> None:
    index = Index("recent", pk="GSI1PK", sk="GSI1SK")
    table = Table("pages", indexes=[index])

    class Page(Entity, table=table):
        name: Attr[str] = attr()
        edited: Attr[datetime] = attr()

        key = Key(pk=("PAGE", name), sk="PAGE")
        recent = Key(pk="PAGES", sk=edited).on(index)

    made = PatternCatalog("pages", table, sizes={Page: 100})
    made.write("U", "Edit", updates(Page, Page.edited), rate=per_second(600))
    (advice,) = found_in(made, "hot-key-write")
    # DynamoDB cannot divide a key at whose end everything is written.
    assert advice.severity == "high"
    assert "No pattern reads Page.recent: remove it." in advice.change
    assert 'recent = Key(pk=("PAGES", Shards(3, by=name)), …)' in advice.change


def test_popular_item_that_is_read_often_needs_a_cache() -> None:
    made = catalog(sizes={Team: 100}, values=[uniform(Team.name, 1)])
    made.read("R", "A team", Team.key, rate=per_second(5_000, peak=10_000))
    made.write("W", "Edit", updates(Team, Team.members), rate=per_second(1))
    advice = only(made, "hot-key-read")
    assert advice.severity == "high"
    # 1,500 of 5,000 units may reach the table.
    assert "Cache what t:R reads: a hit rate of 70%" in advice.change
    assert advice.saves_read_units == pytest.approx(0.7 * 2_500)
    assert not found_in(catalog(), "hot-key-read")


def test_shards_end_the_problem_of_a_hot_key() -> None:
    table = Table("sharded")

    class Click(Entity, table=table):
        number: Attr[int] = attr()

        key = Key(pk=("CLICKS", Shards(3, by=number)), sk=padded(number, 9))

    made = PatternCatalog("clicks", table, sizes={Click: 100})
    made.write("W", "A click", creates(Click), rate=per_second(1500))
    made.read("R", "Clicks", Click.key.partition, items=10, rate=per_second(2))
    plan = planning.create_plan([made])
    assert not [one for one in planning.advise(plan) if one.kind == "hot-key-write"]
    # The reads that the advice announced.
    assert plan.read.average == 1.5 * 2


# Transactions.


def test_counter_in_many_transactions_is_contended() -> None:
    made = catalog(values=[uniform(Team.name, 10)])
    made.write("W", "Join", creates(Member), rate=per_second(500))
    advice = only(made, "contended-item")
    assert advice.severity == "high"
    assert "50 transactions a second of t:W" in advice.problem
    assert "remove the Count of Team" in advice.change


def test_counters_of_many_items_are_not_contended() -> None:
    made = catalog(values=[uniform(Team.name, 1000)])
    made.write("W", "Join", creates(Member), rate=per_second(500))
    assert not found_in(made, "contended-item")


def test_uneven_calls_make_an_item_contended() -> None:
    made = catalog(values=[uniform(Team.name, 1000)])
    made.write("W", "Join", creates(Member), rate=per_second(500), skew=1.2)
    assert found_in(made, "contended-item")


def test_item_that_is_checked_by_many_transactions_is_contended() -> None:
    made = catalog(values=[uniform(Team.name, 10)])
    made.write("W", "Create", creates(Ticket), checks(Team), rate=per_second(100))
    advice = only(made, "contended-item")
    assert advice.severity == "medium"
    assert "outside the transaction" in advice.change


def writes_two(*, in_transaction: bool) -> PatternCatalog:
    made = catalog(sizes={Ticket: 500, Event: 500})
    if in_transaction:
        made.write("W", "Both", creates(Ticket), creates(Event), rate=per_second(100))
    else:
        made.write("W1", "One", creates(Ticket), rate=per_second(100))
        made.write("W2", "Two", creates(Event), rate=per_second(100))
    return made


def test_writes_without_the_transaction_save_half() -> None:
    before, after = writes_two(in_transaction=True), writes_two(in_transaction=False)
    advice = only(before, "transaction")
    assert advice.saves_write_units == pytest.approx(units(before)[1] - units(after)[1])
    assert not found_in(after, "transaction")


def test_rare_transaction_is_not_questioned() -> None:
    made = catalog()
    made.write("W", "Both", creates(Ticket), creates(Event), rate=per_minute(1))
    assert not found_in(made, "transaction")


def test_transaction_for_a_unique_value_is_a_question_about_the_value() -> None:
    table = Table("accounts")

    class Account(Entity, table=table):
        name: Attr[str] = attr()
        email: Attr[str] = attr()
        phone: Attr[str] = attr()

        key = Key(pk=("ACCOUNT", name), sk="ACCOUNT")
        one_email = Unique(email)
        one_phone = Unique(phone)

    made = PatternCatalog("accounts", table)
    made.write("W", "Register", creates(Account), rate=per_second(100))
    advice = only(made, "unique-value")
    assert "Must Account.one_email and Account.one_phone be unique" in advice.change
    assert not found_in(made, "transaction")
    # Items are found by this value.
    made.read("R", "By e-mail", Account.one_email, rate=per_second(1))
    assert "Must Account.one_phone be unique" in only(made, "unique-value").change


def test_transaction_for_a_count_is_a_question_about_the_number() -> None:
    made = catalog(values=[uniform(Team.name, 1000)])
    made.write("W", "Join", creates(Member), rate=per_second(500))
    advice = only(made, "count")
    assert "Member.counted changes Team.members" in advice.problem
    assert "remove the Count" in advice.change
    assert not found_in(made, "transaction")


# Item collections of tables with a local index.


def test_collection_near_10_gb_is_a_problem_with_a_local_index() -> None:
    def made(*indexes: Index) -> PatternCatalog:
        table = Table("logs", indexes=indexes)

        class Line(Entity, table=table):
            source: Attr[str] = attr()
            number: Attr[int] = attr()

            key = Key(pk=("SOURCE", source), sk=padded(number, 9))

        return PatternCatalog(
            "logs",
            table,
            sizes={Line: 900},
            counts={Line: 100_000_000},
            values=[uniform(Line.source, 8)],
        )

    advice = only(made(LocalIndex("by_time", sk="LSI1SK")), "large-collection")
    assert advice.severity == "high"
    assert "11.6 GB" in advice.problem
    assert not found_in(made(), "large-collection")


# Indexes.


def tickets_at(rate: float, **arguments: Any) -> PatternCatalog:
    made = catalog(sizes={Ticket: 3000}, **arguments)
    made.write("W", "Create", creates(Ticket), rate=per_second(rate))
    return made


def test_unused_index_costs_its_writes() -> None:
    made = tickets_at(10, counts={Ticket: 1000})
    state, owner = sorted(found_in(made, "unused-index"), key=lambda one: one.subject)[::-1]
    assert state.subject == "tickets/by_state"
    assert (state.saves_write_units, owner.saves_write_units) == (30, 10)
    assert state.saves_bytes == 1000 * 3100
    assert state.saves_dollars == pytest.approx(30 * 2.628 * 0.625, rel=0.01)


def test_index_that_is_read_is_not_unused() -> None:
    made = tickets_at(10)
    made.read("A", "By state", Ticket.in_state, items=10)  # how often is not known
    made.read("B", "By owner", Ticket.owned, items=10, rate=per_minute(1))
    assert not found_in(made, "unused-index")
    made = tickets_at(10)
    made.read("A", "Never", Ticket.in_state, rate=per_second(0))
    assert len(found_in(made, "unused-index")) == 2


def test_unused_index_with_a_reason_is_only_mentioned() -> None:
    made = catalog(unused={by_state: "the reports of next year", by_owner: "an experiment"})
    made.write("W", "Create", creates(Ticket), rate=per_second(10))
    advice = found_in(made, "unused-index")
    assert {one.severity for one in advice} == {"low"}
    assert any("the reports of next year" in one.problem for one in advice)


def test_key_of_an_overloaded_index_without_readers_is_unused() -> None:
    index = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
    table = Table("overloaded", indexes=[index])

    class Note(Entity, table=table):
        name: Attr[str] = attr()
        tag: Attr[str] = attr()

        key = Key(pk=("NOTE", name), sk="NOTE")
        tagged = Key(pk=("TAG", tag), sk=name).on(index)

    class Page(Entity, table=table):
        name: Attr[str] = attr()
        tag: Attr[str] = attr()

        key = Key(pk=("PAGE", name), sk="PAGE")
        tagged = Key(pk=("PAGES", tag), sk=name).on(index)

    made = PatternCatalog("notes", table, sizes={Note: 500, Page: 500})
    made.write("W", "A note", creates(Note), rate=per_second(10))
    made.write("V", "A page", creates(Page), rate=per_second(10))
    made.read("R", "Notes with a tag", Note.tagged, items=10, rate=per_second(1))
    advice = only(made, "unused-key")
    assert "Page.tagged" in advice.change
    assert advice.saves_write_units == 10


def open_tickets(*, sparse: bool) -> PatternCatalog:
    index = Index("by_state", pk="GSI1PK", sk="GSI1SK")
    table = Table("tickets", indexes=[index])

    class Job(Entity, table=table):
        number: Attr[int] = attr()
        state: Attr[Literal["open", "done", "void", "lost"]] = attr()

        key = Key(pk=("JOB", number), sk="JOB")
        in_state = Key(pk=("STATE", state), sk=padded(number, 6)).on(
            index, when=state == "open" if sparse else None
        )

    counts: dict[type, ItemCount] = {
        Job: ItemCount(1000, shares={"in_state": 0.25} if sparse else {})
    }
    made = PatternCatalog("jobs", table, sizes={Job: 500}, counts=counts)

    @made.read_function("R", items=10, rate=per_second(1))
    def open_jobs() -> Selection[Any]:
        """Open jobs."""
        return Job.in_state("open")

    made.write("W", "Create", creates(Job), rate=per_second(10))
    made.write("U", "Change", updates(Job, Job.state), rate=per_second(10))
    return made


def test_index_that_is_queried_for_one_value_could_be_sparse() -> None:
    before, after = open_tickets(sparse=False), open_tickets(sparse=True)
    advice = only(before, "sparse-index")
    assert "when=state == 'open'" in advice.change
    assert not found_in(after, "sparse-index")


def test_index_with_unknown_values_is_not_proposed_to_be_sparse() -> None:
    made = tickets_at(100)

    @made.read_function("R", items=10, rate=per_second(1))
    def unowned() -> Selection[Any]:
        """Tickets without an owner."""
        return Ticket.owned("nobody")

    assert not found_in(made, "sparse-index")


def test_index_of_which_callers_choose_the_value_is_not_sparse() -> None:
    made = tickets_at(100)
    made.read("R", "By state", Ticket.in_state, items=10, rate=per_second(1))
    assert not found_in(made, "sparse-index")


@pytest.mark.parametrize("projection", ["ALL", "KEYS_ONLY"])
def test_projection_advice_saves_what_the_other_projection_costs_less(
    projection: Literal["ALL", "KEYS_ONLY"],
) -> None:
    def made(projected: Literal["ALL", "KEYS_ONLY"], hydrate: bool | None) -> PatternCatalog:
        index = Index("by_state", pk="GSI1PK", sk="GSI1SK", projection=projected)
        table = Table("tickets", indexes=[index])

        class Job(Entity, table=table):
            number: Attr[int] = attr()
            state: Attr[str] = attr()
            text: Attr[str] = attr()

            key = Key(pk=("JOB", number), sk="JOB")
            in_state = Key(pk=("STATE", state), sk=padded(number, 6)).on(index)

        one = PatternCatalog("jobs", table, sizes={Job: 3000})
        one.read("R", "By state", Job.in_state, items=20, hydrate=hydrate, rate=per_second(500))
        one.write("W", "Create", creates(Job), rate=per_second(20))
        one.write("U", "Edit", updates(Job, Job.text), rate=per_second(20))
        return one

    if projection == "ALL":  # larger than its patterns need
        before, after = made("ALL", True), made("KEYS_ONLY", True)
        advice = only(before, "smaller-projection")
        assert not found_in(after, "smaller-projection")
    else:  # so small that all items are read from the table
        before, after = made("KEYS_ONLY", None), made("ALL", None)
        advice = only(before, "larger-projection")
        assert advice.saves_write_units < 0
        assert not found_in(after, "larger-projection")
    read, write = (a - b for a, b in zip(units(before), units(after), strict=True))
    assert advice.saves_read_units == pytest.approx(read)
    assert advice.saves_write_units == pytest.approx(write)
    assert advice.saves_dollars > 0


def test_index_of_whole_items_that_would_cost_more_is_not_proposed() -> None:
    made = catalog(sizes={Ticket: 3000})
    made.read("R", "Owned", Ticket.owned, items=20, rate=per_minute(1))
    made.write("U", "Edit", updates(Ticket, Ticket.text), rate=per_second(100))
    assert not found_in(made, "larger-projection")


def test_index_key_that_changes_often_is_a_question() -> None:
    def made(field: Any, *, is_read: bool = True) -> PatternCatalog:
        one = catalog(sizes={Ticket: 500})
        one.write("U", "Move", updates(Ticket, field), rate=per_second(50))
        if is_read:
            one.read("R", "By state", Ticket.in_state, items=5, rate=per_second(1))
        return one

    advice = only(made(Ticket.state), "moving-key")
    assert "t:U changes state" in advice.problem
    assert advice.saves_write_units == 50
    assert not found_in(made(Ticket.text), "moving-key")
    # There is better advice: to remove the index.
    assert not found_in(made(Ticket.state, is_read=False), "moving-key")


def test_wide_entries_of_an_index_are_a_question() -> None:
    def made(size: int) -> PatternCatalog:
        one = catalog(sizes={Ticket: size})
        one.write("W", "Create", creates(Ticket), rate=per_second(20))
        one.read("R", "By state", Ticket.in_state, items=5, rate=per_second(1))
        return one

    advice = only(made(5000), "smaller-projection")
    assert advice.severity == "low"
    assert advice.saves_write_units == 20 * (5 - 1)
    assert not found_in(made(1500), "smaller-projection")


# Reads.


def found(scanned: int | None) -> PatternCatalog:
    made = catalog(sizes={Ticket: 1000})
    made.read("R", "Few", Ticket.key.partition, items=10, scanned=scanned, rate=per_second(20))
    made.write("W", "Create", creates(Ticket), rate=per_second(1))
    return made


def test_filter_that_drops_most_items_is_waste() -> None:
    advice = only(found(1000), "filter-waste")
    read, _ = (a - b for a, b in zip(units(found(1000)), units(found(None)), strict=True))
    assert advice.saves_read_units == pytest.approx(read)
    assert "1,000 Ticket items a call, and its filter keeps 10" in advice.problem


@pytest.mark.parametrize("scanned", [None, 10, 25])
def test_filter_that_keeps_much_is_accepted(scanned: int | None) -> None:
    assert not found_in(found(scanned), "filter-waste")


def test_filter_is_accepted_if_an_index_would_cost_more() -> None:
    made = found(40)
    made.write("V", "Edit", updates(Ticket, Ticket.text), rate=per_second(100))
    assert not found_in(made, "filter-waste")


def test_declared_filter_of_one_item_is_ignored() -> None:
    made = catalog()
    made.read("R", "A ticket", Ticket.key, items=1, scanned=1000, rate=per_second(100))
    assert not found_in(made, "filter-waste")


def scans(rate: Any) -> PatternCatalog:
    made = catalog(counts={Ticket: 90_000, Team: 10_000}, sizes={Ticket: 1000, Team: 1000})
    made.scan("X", "All teams", Team, reason="a report", rate=rate)
    return made


def test_frequent_scan_is_replaced_by_a_query() -> None:
    advice = only(scans(per_hour(6)), "scan")
    assert "10% of tickets" in advice.change
    assert advice.saves_read_units == pytest.approx(0.9 * units(scans(per_hour(6)))[0])


def test_nightly_scan_is_accepted() -> None:
    assert not found_in(scans(per_day(1)), "scan")


def test_scan_of_everything_is_replaced_by_the_change_feed() -> None:
    made = catalog(counts={Ticket: 90_000}, sizes={Ticket: 1000})
    made.scan("X", "All", Ticket, reason="a report", rate=per_hour(6))
    assert "patterns.feed" in only(made, "scan").change


def test_query_of_very_many_items_needs_pages() -> None:
    def made(items: int, rate: Any) -> PatternCatalog:
        one = catalog(sizes={Ticket: 1000})
        one.read("R", "Tickets", Ticket.key.partition, items=items, rate=rate)
        return one

    advice = only(made(5000, per_second(1)), "large-query")
    assert "4.77 MB in 5 requests" in advice.problem
    read, _ = (
        a - b
        for a, b in zip(
            units(made(5000, per_second(1))), units(made(100, per_second(1))), strict=True
        )
    )
    assert advice.saves_read_units == pytest.approx(read)
    assert not found_in(made(500, per_second(1)), "large-query")
    assert not found_in(made(5000, per_day(1)), "large-query")


def test_strong_consistency_is_a_question_with_its_price() -> None:
    def made(*, consistent: bool, rate: float = 500) -> PatternCatalog:
        one = catalog(sizes={Ticket: 1000})
        one.read("R", "A ticket", Ticket.key, consistent=consistent, rate=per_second(rate))
        return one

    advice = only(made(consistent=True), "consistent-read")
    before, after = units(made(consistent=True))[0], units(made(consistent=False))[0]
    assert advice.saves_read_units == pytest.approx(before - after)
    assert not found_in(made(consistent=False), "consistent-read")
    # A few dollars are not worth a question.
    assert not found_in(made(consistent=True, rate=20), "consistent-read")


def test_gets_of_one_partition_at_one_rate_could_be_a_query() -> None:
    def made(members: int, rate: float) -> PatternCatalog:
        counts = {Team: 1000, Member: members, Ticket: 0}
        one = catalog(sizes={Team: 300, Member: 200}, counts=counts)
        one.read("A", "A team", Team.key, rate=per_second(500))
        one.read("B", "A member", Member.key, rate=per_second(rate))
        return one

    advice = only(made(5000, 500), "joined-reads")
    assert advice.saves_read_units == pytest.approx((1.0 - 0.5) * 500)
    # A partition of 100 KB is more expensive than two items.
    assert not found_in(made(500_000, 500), "joined-reads")
    assert not found_in(made(5000, 20), "joined-reads")


# Items.


@pytest.mark.parametrize(("size", "is_given"), [(350_000, True), (300_000, False)])
def test_item_near_400_kb_is_a_problem(size: int, *, is_given: bool) -> None:
    advice = found_in(catalog(sizes={Ticket: size}), "large-item")
    assert bool(advice) == is_given
    assert {one.severity for one in advice} <= {"high"}


def votes(size: int, field: Any = Ticket.votes) -> PatternCatalog:
    made = catalog(sizes={Ticket: size})
    made.write("U", "Vote", updates(Ticket, field), rate=per_second(10))
    return made


def test_small_update_of_a_large_item_is_charged_for_all_of_it() -> None:
    advice = only(votes(40_000), "large-update")
    assert "changes votes of a Ticket" in advice.problem
    # Forty units in the table, of which one remains.
    assert advice.saves_write_units == pytest.approx(390)


def test_update_of_the_large_part_of_an_item_is_accepted() -> None:
    assert not found_in(votes(40_000, Ticket.text), "large-update")
    assert not found_in(votes(1000), "large-update")


# What is declared.


def test_missing_figures_are_listed_once() -> None:
    made = catalog(sizes={Ticket: 500}, counts={Ticket: 10})
    made.read("R", "A ticket", Ticket.key)
    made.read("S", "A team", Team.key)
    assert "t:R and t:S" in only(made, "missing-rate").problem
    assert "Team" in only(made, "missing-size").problem
    assert "Ticket" not in only(made, "missing-count").problem


def test_complete_declarations_miss_nothing() -> None:
    every = dict.fromkeys(tickets.entities, 100)
    made = catalog(sizes=every, counts=every)
    made.read("R", "A ticket", Ticket.key, rate=per_second(1))
    made.feed("F", "Changes", Ticket)
    for kind in ("missing-rate", "missing-size", "missing-count"):
        assert not found_in(made, kind)


def test_values_are_missing_only_where_they_could_make_a_hot_key() -> None:
    def made(rate: float, **arguments: Any) -> PatternCatalog:
        one = catalog(sizes={Event: 500}, **arguments)
        one.write("W", "An event", creates(Event), rate=per_second(rate))
        return one

    assert "zipf(Event.source, 200)" in only(made(900), "missing-values").change
    assert not found_in(made(500), "missing-values")
    assert not found_in(made(900, values=[uniform(Event.source, 50)]), "missing-values")


def test_count_that_the_rates_contradict_is_reported() -> None:
    def made(rate: float, count: ItemCount | int = 10_000) -> PatternCatalog:
        one = catalog(sizes={Ticket: 500}, counts={Ticket: count})
        one.write("W", "Create", creates(Ticket), rate=per_second(rate))
        return one

    advice = only(made(50), "growing-count")
    assert "131,400,000 new Ticket items a month" in advice.problem
    assert "10,000 in all" in advice.problem
    assert not found_in(made(0.003), "growing-count")
    assert not found_in(made(50, 200_000_000), "growing-count")
    balanced = made(50)
    balanced.write("D", "Delete", deletes(Ticket), rate=per_second(50))
    assert not found_in(balanced, "growing-count")


def test_items_that_only_accumulate_could_expire() -> None:
    def made(entity: type, rate: float) -> PatternCatalog:
        one = catalog(sizes={entity: 2000})
        one.write("W", "Create", creates(entity), rate=per_second(rate))
        return one

    advice = only(made(Event, 50), "missing-ttl")
    assert "expires()" in advice.change
    assert not found_in(made(Event, 0.01), "missing-ttl")
    assert not found_in(made(Visit, 50), "missing-ttl")
    deleted = made(Event, 50)
    deleted.write("D", "Delete", deletes(Event))
    assert not found_in(deleted, "missing-ttl")


# Billing.


def test_even_load_with_known_hours_is_cheaper_provisioned() -> None:
    def made(**hours: Any) -> PatternCatalog:
        one = catalog(sizes={Team: 500})
        one.write("W", "Put", puts(Team), rate=per_second(100, **hours))
        return one

    advice = only(made(peak=120), "billing-mode")
    assert "auto scaling" in advice.problem
    assert advice.saves_dollars > 0
    # Auto scaling would be too slow for such a peak.
    assert not found_in(made(peak=1000), "billing-mode")
    # Nothing is known about the hours of the day.
    assert not found_in(made(), "billing-mode")


def test_tables_that_are_rarely_read_are_cheaper_in_the_infrequent_access_class() -> None:
    made = catalog(sizes={Ticket: 1000}, counts={Ticket: 1_000_000_000})
    made.read("R", "A ticket", Ticket.key, rate=per_second(1))
    assert "Standard-IA" in only(made, "billing-mode").change


# All together.


def test_advice_starts_with_what_fails_and_then_what_saves_most() -> None:
    made = tickets_at(100, counts={Ticket: 10})
    made.write("V", "Vote", updates(Ticket, Ticket.votes), rate=per_second(50))
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
    made = catalog()
    made.read("A", "By state", Ticket.in_state)
    made.read("B", "By owner", Ticket.owned)
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
    made = catalog(
        sizes={Ticket: size, Member: min(size, 1000)},
        counts={Ticket: count, Team: count // 10},
        values=[zipf(Ticket.owner, values, skew), uniform(Team.name, values)],
    )
    made.read("A", "Owned", Ticket.owned, items=items, rate=per_second(rate))
    made.read("B", "Of a team", Ticket.key.partition, items=1, scanned=items, rate=per_second(1))
    made.read("C", "A ticket", Ticket.key, consistent=True, rate=per_second(rate))
    made.write("D", "Create", creates(Ticket), checks(Team), rate=per_second(rate))
    made.write("E", "Vote", updates(Ticket, Ticket.votes), rate=per_second(rate))
    made.write("F", "Join", creates(Member), rate=per_second(rate, peak=2 * rate))
    made.scan("G", "Teams", Team, reason="a report", rate=per_hour(2))
    plan = planning.create_plan([made])
    bill = planning.monthly_cost(planning.loads_of(plan), region_prices()).cost
    for advice in planning.advise(plan):
        assert advice.saves_dollars <= bill * 1.001
        assert advice.saves_read_units <= plan.read.average * 1.001
        assert advice.saves_write_units <= plan.write.average * 1.001
