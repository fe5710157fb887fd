"""The units of a plan are those that the run consumes; the engine reports them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable.migration import Migration
from singletable.migration.estimate import estimate
from singletable.migration.rehearsal import CountingDriver
from singletable.migration.runner import MigrationRunner
from singletable.planning import region_prices
from tests.migration.site import OldUser, Site, memory_site


@pytest.fixture
def site() -> Iterator[Site]:
    for site in memory_site(page_size=0):
        site.fill(300, posts=100, width=2)
        yield site


# All items are in the sample, or a third.
@pytest.mark.parametrize("sample_size", [2000, 200])
def test_the_plan_of_a_copy_is_what_the_run_consumes(site: Site, sample_size: int) -> None:
    migration = Migration(site.copy, name="0001_copy")
    plan = estimate(migration, site.engine, rate=100, sample_size=sample_size, segments=1)
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
    (step,) = estimate(migration, site.engine, sample_size=200).steps
    assert set(step.how) == {"items", "average_size", "read_units", "write_units", "cost"}
    assert "sample of 200 items" in step.how["write_units"]
    assert "on demand in us-east-1 since November 2024" in step.how["cost"]
    assert step.seconds is None
    free = region_prices().with_amounts({"on_demand_read": 0, "on_demand_write": 0})
    (cheap,) = estimate(migration, site.engine, prices=free).steps
    assert (cheap.cost, cheap.how["items"]) == (0, "counted")
    assert "as given" in cheap.how["cost"]


def test_items_that_fail_are_noted(site: Site) -> None:
    for number in range(30):
        site.store.put(OldUser(username=f"z{number}", name="Z"))
    (step,) = estimate(Migration(site.copy, name="0001_copy"), site.engine).steps
    assert step.write_units > 300
    assert "30 of the sampled items fail" in step.notes[0]
