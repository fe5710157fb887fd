"""The units of a plan are those that the run consumes; the engine reports them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from singletable import Attr, Engine, Entity, Key, Store, Table, Unique, attr
from singletable.migration import AddUnique, Backfill, Migration, Rewrite, each
from singletable.migration.rehearsal import CountingDriver, dry_run
from singletable.migration.rules import Rule
from singletable.migration.runner import MigrationRunner
from singletable.prices import region_prices
from tests.designs.site import OldUser
from tests.migration.site import Site, memory_site


@pytest.fixture
def site() -> Iterator[Site]:
    for site in memory_site(page_size=0):
        site.fill(300, posts=100, width=2)
        yield site


# All items are in the sample, or half: which ones depends on the order in which a storage scans.
@pytest.mark.parametrize("sample_size", [2000, 300])
def test_the_plan_of_a_copy_is_what_the_run_consumes(site: Site, sample_size: int) -> None:
    migration = Migration(site.copy, name="0001_copy")
    plan = dry_run(migration, site.engine, rate=100, sample=sample_size, segments=1)
    driver = CountingDriver(site.engine)
    MigrationRunner(migration, driver, changes="none", segments=1).run()
    consumed = driver.count
    (step,) = plan.steps
    tolerance = 0.001 if sample_size == 2000 else 0.05
    read = consumed.read_units + consumed.state_read_units
    write = consumed.write_units + consumed.state_write_units
    assert step.read_units == pytest.approx(read, rel=tolerance)
    assert step.write_units == pytest.approx(write, rel=tolerance)
    assert step.items == 600
    assert plan.seconds == pytest.approx((step.read_units + step.write_units) / 100)
    assert plan.cost == pytest.approx(
        (step.read_units * 0.125 + step.write_units * 0.625) / 1_000_000
    )


def test_every_figure_says_how_it_was_computed(site: Site) -> None:
    migration = Migration(site.copy, name="0001_copy")
    (step,) = dry_run(migration, site.engine, sample=200).steps
    assert set(step.how) == {"items", "average_size", "read_units", "write_units", "cost"}
    assert "sample of 200 of 600 items" in step.how["write_units"]
    assert "on demand in us-east-1 since November 2024" in step.how["cost"]
    assert step.seconds is None
    free = region_prices().with_amounts({"on_demand_read": 0, "on_demand_write": 0})
    (cheap,) = dry_run(migration, site.engine, prices=free).steps
    assert (cheap.cost, cheap.how["items"]) == (0, "counted")
    assert "as given" in cheap.how["cost"]


fleet, old_fleet = Table("fleet"), Table("fleet")


class Courier(Entity, table=fleet):
    number: Attr[int] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("COURIER", number), sk="COURIER")
    one_email = Unique(email)


class OldCourier(Entity, table=old_fleet):
    number: Attr[int] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("COURIER", number), sk="COURIER")


class Rider(Entity, table=fleet):
    number: Attr[int] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("RIDER", number), sk="RIDER")


class Parcel(Entity, table=old_fleet):
    depot: Attr[int] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("DEPOT", depot), sk=("PARCEL", number))


# In large partitions, items of one kind come together.
@pytest.mark.parametrize("depots", [5, 2_000])
@pytest.mark.parametrize("couriers", [0, 8, 80, 800])
def test_units_are_within_the_range_of_the_plan(couriers: int, depots: int) -> None:
    with Engine.in_memory() as engine:
        store = Store(engine)
        store.admin.create_table(fleet)
        store.put_many([Parcel(depot=n % depots, number=n) for n in range(2_000)])
        store.put_many([OldCourier(number=n, email=f"{n}@x.org") for n in range(couriers)])
        migration = Migration(AddUnique(Courier, "one_email"), name="0001_emails")
        (step,) = dry_run(migration, engine, sample=500).steps
        driver = CountingDriver(engine)
        MigrationRunner(migration, driver).run()
    consumed = driver.count.write_units
    assert f"a sample of 500 of {2_000 + couriers:,} items" in step.how["write_units"]
    # Only a common entity in small partitions needs no warning.
    assert bool(step.notes) == ((couriers, depots) != (800, 2_000))
    bounds = [couriers, couriers, step.write_units * 0.75, step.write_units * 1.25]
    for note in step.notes:
        numbers = [int(one.replace(",", "")) for one in re.findall(r"[\d,]*\d", note)]
        bounds = [*numbers[2:], 0, 0]
    assert bounds[0] <= couriers <= bounds[1]
    assert bounds[2] <= consumed <= bounds[3]


# A rewrite names one table by two declarations: that of its old items, and that of its new ones.
@pytest.mark.parametrize("back", [[], [each(Rider, lambda new: OldCourier(**vars(new)))]])
@pytest.mark.parametrize("sample_size", [400, 100])
def test_a_table_with_several_declarations_is_counted_once(
    sample_size: int, back: list[Rule]
) -> None:
    rewrite = Rewrite(each(OldCourier, lambda old: Rider(**vars(old))), back=back)
    migration = Migration(rewrite, Backfill(Rider), name="0001_couriers")
    with Engine.in_memory() as engine:
        store = Store(engine)
        store.admin.create_table(fleet)
        store.put_many([OldCourier(number=n, email=f"{n}@x.org") for n in range(300)])
        plan = dry_run(migration, engine, sample=sample_size)
        tried = dry_run(migration, engine)
        driver = CountingDriver(engine)
        MigrationRunner(Migration(rewrite, name="0001"), driver).run()
    assert [step.items for step in plan.steps] == [300, 300]
    assert [step.items for step in tried.steps] == [300, 300]
    if sample_size == 100:
        assert "a sample of 100 of 300 items" in plan.steps[0].how["write_units"]
    assert plan.steps[0].write_units == pytest.approx(driver.count.write_units, rel=0.05)


def test_items_that_fail_are_noted(site: Site) -> None:
    for number in range(30):
        site.store.put(OldUser(username=f"z{number}", name="Z"))
    (step,) = dry_run(Migration(site.copy, name="0001_copy"), site.engine).steps
    assert step.write_units > 300
    assert step.failures["ValueError: has no e-mail address"].count == 30
