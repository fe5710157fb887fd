"""Plans: units by pattern, table and index, demand by hour, and storage."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import (
    Attr,
    Count,
    DeclarationError,
    Entity,
    Index,
    ItemCount,
    Key,
    PatternCatalog,
    Table,
    Unique,
    attr,
    creates,
    per_day,
    per_hour,
    per_second,
    updates,
    zipf,
)
from singletable_design.planning import create_plan, workload_of

by_skill = Index("GSI1", pk="GSI1PK", sk="GSI1SK", projection=["level"])
directory = Table("directory", indexes=[by_skill])


class Person(Entity, table=directory):
    name: Attr[str] = attr()
    bio: Attr[str] = attr(default="")

    key = Key(pk=("PERSON", name), sk="PROFILE")


class Skill(Entity, table=directory):
    person: Attr[str] = attr()
    skill: Attr[str] = attr()
    level: Attr[int] = attr(default=1)
    notes: Attr[str] = attr(default="")

    key = Key(pk=("PERSON", person), sk=("SKILL", skill))
    found = Key(pk=("SKILL", skill), sk=("LEVEL", level, person)).on(by_skill)


def catalog() -> PatternCatalog:
    made = PatternCatalog(
        "directory",
        directory,
        sizes={Person: 1024, Skill: 3000},
        counts={Person: 1000, Skill: ItemCount(5000, growth=0.1, shares={"found": 0.5})},
        values=[zipf(Skill.skill, 60)],
    )
    made.read("A", "A person", Person.key, rate=per_second(100, peak=300))
    made.read("B", "People with a skill", Skill.found, items=20, hydrate=False, rate=per_hour(36))
    made.write("C", "Add a skill", creates(Skill), rate=per_second(2, growth=0.1))
    made.write("D", "Edit notes", updates(Skill, Skill.notes), rate=per_second(1))
    made.write("E", "Edit a level", updates(Skill, Skill.level))
    return made


def test_plan_adds_up_units_by_table_and_index() -> None:
    plan = create_plan([catalog()])
    table, index = plan.resources
    assert (table.name, index.name) == ("directory", "directory/GSI1")
    assert table.read.average == pytest.approx(50)  # 100 calls of half a unit
    assert table.read.peak == pytest.approx(150)
    # Three units for each new skill, and for each edit; notes are not in the index.
    assert table.write.average == pytest.approx(2 * 3 + 1 * 3)
    assert index.write.average == pytest.approx(2 * 0.5)
    assert index.read.average == pytest.approx(0.01 * 0.5)


def test_plan_grows_by_month() -> None:
    plan = create_plan([catalog()], months=12)
    creating = next(one for one in plan.patterns if one.pattern.code == "C")
    assert creating.write.average == pytest.approx((6 + 1) * 1.1**12)
    assert plan.resources[0].stored.items == pytest.approx(1000 + 5000 * 1.1**12)


def test_storage_includes_index_copies_and_overhead() -> None:
    table, index = create_plan([catalog()]).resources
    assert table.stored.bytes == 1000 * 1124 + 5000 * 3100
    assert index.stored.items == 2500
    assert index.stored.bytes < 2500 * 300


def test_plan_says_what_it_assumes() -> None:
    assumptions = create_plan([catalog()]).assumptions
    assert [one for one in assumptions if "left out: E." in one]


def test_plan_says_that_all_items_are_taken_to_have_what_is_optional() -> None:
    index = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
    other = Index("GSI2", pk="GSI2PK", sk="GSI2SK")
    jobs = Table("jobs", indexes=[index, other])

    class Owner(Entity, table=jobs):
        name: Attr[str] = attr()
        jobs: Attr[int] = attr(default=0)

        key = Key(pk=("OWNER", name), sk="OWNER")

    class Job(Entity, table=jobs):
        name: Attr[str] = attr()
        state: Attr[str] = attr(default="waiting")
        code: Attr[str | None] = attr(default=None)
        owner: Attr[str | None] = attr(default=None)

        key = Key(pk=("JOB", name), sk="JOB")
        waiting = Key(pk="WAITING", sk=name).on(index, when=state == "waiting")
        owned = Key(pk=("OWNER", owner), sk=name).on(other)
        one_code = Unique(code)
        counted = Count(Owner, Owner.jobs, key=(owner,))

    def assumptions(count: ItemCount) -> str:
        made = PatternCatalog("jobs", jobs, sizes={Job: 300}, counts={Job: count})
        made.read("W", "Waiting jobs", Job.waiting, items=5, rate=per_second(1))
        return " ".join(create_plan([made]).assumptions)

    names = ["waiting", "owned", "one_code", "counted"]
    text = ", ".join(f"Job.{name}" for name in names)
    assert f"{text}. Declare" in assumptions(ItemCount(1000))
    shares = dict.fromkeys(names, 0.1)
    assert "sparse" not in assumptions(ItemCount(1000, shares=shares))
    for name in names:
        rest = {one: share for one, share in shares.items() if one != name}
        assert f" Job.{name}. Declare" in assumptions(ItemCount(1000, shares=rest))


@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_optional_unique_values_store_markers_for_their_share(share: float) -> None:
    table = Table("codes")

    class Coupon(Entity, table=table):
        name: Attr[str] = attr()
        code: Attr[str | None] = attr(default=None)

        key = Key(pk=("COUPON", name), sk="COUPON")
        one_code = Unique(code)

    count = ItemCount(1000, shares={"one_code": share})
    made = PatternCatalog("codes", table, sizes={Coupon: 300}, counts={Coupon: count})
    made.write("W", "A coupon", creates(Coupon), rate=per_second(10))
    plan = create_plan([made])
    assert plan.stored_bytes == 1000 * 400 + share * 1000 * 300
    # An item with a code is written in a transaction with its marker.
    assert plan.write.average == 10 * (1 + 3 * share)


def test_more_items_and_calls_never_cost_fewer_units() -> None:
    small, large = create_plan([catalog()]), create_plan([catalog()], factor=3)
    assert large.read.average == pytest.approx(3 * small.read.average)
    assert large.stored_bytes == pytest.approx(3 * small.stored_bytes)


@pytest.mark.parametrize("factor", [-1.0, float("inf"), float("nan")])
def test_plan_rejects_impossible_factors(factor: float) -> None:
    with pytest.raises(DeclarationError, match="0 or more"):
        create_plan([catalog()], factor=factor)


def test_workload_shares_the_domains_of_fields_after_the_same_constant() -> None:
    workload = workload_of([catalog()])
    domains = {
        domain.name: domain.distribution.values
        for load in workload.patterns
        for units in load.units
        for domain in units.key.domains
    }
    assert domains == {"person": 1000, "skill": 60}
    assert workload.unrated == ("directory:E",)


def test_workload_places_units_on_keys_of_table_and_index() -> None:
    adding = next(one for one in workload_of([catalog()]).patterns if one.id == "directory:C")
    assert [(one.resource, one.units, one.key.template) for one in adding.units] == [
        ("directory", 3.0, "PERSON#{person}"),
        ("directory/GSI1", 0.5, "SKILL#{skill}"),
    ]
    assert adding.units[1].key.text([1]) == "SKILL#skill-1"


def test_scan_reads_more_items_as_the_table_grows_and_is_not_called_more_often() -> None:
    made = catalog()
    made.scan("X", "All", Person, reason="a copy", rate=per_hour(1))
    made.scan("Y", "All, with a number", Person, reason="a copy", items=6000, rate=per_hour(1))

    def units(**arguments: float) -> list[float]:
        plan = create_plan([made], **arguments)
        return [one.read.average for one in plan.patterns if one.pattern.code in ("X", "Y")]

    for now, later in zip(units(), units(factor=10), strict=True):
        assert later == pytest.approx(10 * now, rel=0.01)
    # Skills are larger than people, and only they grow.
    counted, declared = units(months=12)
    bytes_later = 1000 * 1024 + 5000 * 1.1**12 * 3000
    assert counted == pytest.approx(bytes_later / 4096 / 2 / 3600, rel=0.01)
    assert declared == pytest.approx(counted, rel=0.01)


def test_storage_adds_up_entities_that_are_counted_in_different_catalogs() -> None:
    people = PatternCatalog("people", directory, counts={Person: 1000}, sizes={Person: 400})
    skills = PatternCatalog("skills", directory, counts={Skill: 5000}, sizes={Skill: 100})
    assert create_plan([people, skills]).resources[0].stored.bytes == 1000 * 500 + 5000 * 200
    assert workload_of([people, skills]).bytes["directory"] == 1000 * 500 + 5000 * 200


def test_storage_includes_the_markers_of_unique_values() -> None:
    accounts = Table("accounts")

    class Account(Entity, table=accounts):
        name: Attr[str] = attr()
        email: Attr[str] = attr()

        key = Key(pk=("ACCOUNT", name), sk="ACCOUNT")
        one_email = Unique(email)

    made = PatternCatalog("accounts", accounts, counts={Account: 10}, sizes={Account: 900})
    (table,) = create_plan([made]).resources
    assert (table.stored.items, table.stored.bytes) == (20, 10 * 1000 + 10 * 300)


@pytest.mark.parametrize("months", [-1.0, 121.0, float("inf"), float("nan")])
def test_plan_rejects_impossible_months(months: float) -> None:
    with pytest.raises(DeclarationError, match="from 0 to 120"):
        create_plan([catalog()], months=months)


def test_rate_with_a_peak_in_its_busiest_hour_can_be_multiplied() -> None:
    by_hour = [1.0] * 23 + [7.3]
    busiest = per_second(0.7, by_hour=by_hour).busiest_hour
    rate = per_second(0.7, by_hour=by_hour, peak=busiest)
    for factor in (0.1, 0.3, 1.1, 3, 7):
        assert rate.times(factor).peak_per_second == pytest.approx(busiest * factor)


def test_peak_has_the_period_of_its_rate() -> None:
    with pytest.raises(DeclarationError, match=r"write peak=per_second\(30\)"):
        per_day(200_000, peak=30)
    assert per_day(200_000, peak=per_second(30)).peak_per_second == pytest.approx(30)


@pytest.mark.parametrize("wrong", ["5", None, True, float("nan")])
def test_rates_and_growth_must_be_numbers(wrong: Any) -> None:
    with pytest.raises(DeclarationError, match="expected a finite number"):
        per_second(wrong)
    with pytest.raises(DeclarationError, match="growth="):
        per_second(5, growth=wrong)
