"""The pytest plugin: options, markers and fixtures.

Every pytest run of a project that has this package installed loads this file, so it imports the
rest of the library only when a fixture or an option needs it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from singletable.patterns import PatternCatalog
    from singletable.testing.stores import (
        AsyncStoreFactory,
        StoreClock,
        StoreFactories,
        StoreFactory,
    )
    from singletable.testing.strict import StrictObserver


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options and settings."""
    group = parser.getgroup("singletable", "single-table designs")
    group.addoption(
        "--singletable-strict",
        action="store_true",
        help="fail tests whose store calls match no declared access pattern, or scan",
    )
    group.addoption(
        "--singletable-report",
        action="store_true",
        help="show calls, errors, capacity units and latency of each access pattern",
    )
    parser.addini(
        "singletable_strict", "the same as --singletable-strict", type="bool", default=False
    )
    parser.addini(
        "singletable_catalogs",
        "modules with catalogs of access patterns: app.patterns, app.patterns:elections",
        type="linelist",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers, and the report if it is enabled."""
    config.addinivalue_line(
        "markers", "faults(throttle=0.1, …): inject these faults into the stores of the test"
    )
    config.addinivalue_line(
        "markers", "undeclared(reason): allow calls that match no declared access pattern"
    )
    if config.getoption("--singletable-report"):
        from singletable.testing.report import PatternReport

        config.pluginmanager.register(PatternReport(_catalogs(config)), "singletable-report")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Check the calls of the test itself; calls of its fixtures are not checked."""
    if not _is_strict(item):
        return (yield)
    from singletable.store.calls import observe_all_stores
    from singletable.testing.strict import StrictObserver

    observer = StrictObserver(_required_catalogs(item.config))
    with observe_all_stores(observer):
        result = yield
    _fail(observer)
    return result


@pytest.fixture
def store_clock() -> StoreClock:
    """Return the clock of this test's stores, which is fixed until you advance it."""
    from singletable.testing.stores import StoreClock

    return StoreClock()


@pytest.fixture
def singletable_stores(
    request: pytest.FixtureRequest, store_clock: StoreClock
) -> Iterator[StoreFactories]:
    """Create the stores of this test and close them after it."""
    from singletable.testing.config import faults_from_marker, tables_of
    from singletable.testing.stores import StoreFactories

    item = cast(pytest.Item, request.node)  # pyright: ignore[reportUnknownMemberType]
    stores = StoreFactories(
        tables_of(_catalogs(request.config)), store_clock, faults_from_marker(item)
    )
    yield stores
    stores.close()


@pytest.fixture
def make_store(singletable_stores: StoreFactories) -> StoreFactory:
    """Return a factory of stores in memory; by default with the tables of the catalogs."""
    return singletable_stores.store


@pytest.fixture
def make_async_store(singletable_stores: StoreFactories) -> AsyncStoreFactory:
    """Return a factory of async stores in memory."""
    return singletable_stores.async_store


def _catalogs(config: pytest.Config) -> list[PatternCatalog]:
    names = cast("list[str]", config.getini("singletable_catalogs"))
    if not names:
        return []
    from singletable.testing.config import load_catalogs

    return load_catalogs(names)


def _required_catalogs(config: pytest.Config) -> list[PatternCatalog]:
    catalogs = _catalogs(config)
    if not catalogs:
        raise pytest.UsageError(
            "singletable_strict compares calls with declared access patterns, but no catalog is "
            "configured. Set singletable_catalogs = app.patterns in the settings of pytest."
        )
    return catalogs


def _is_strict(item: pytest.Item) -> bool:
    enabled = item.config.getoption("--singletable-strict") or item.config.getini(
        "singletable_strict"
    )
    if not enabled:
        return False
    marker = item.get_closest_marker("undeclared")
    if marker is not None and not marker.args:
        raise pytest.UsageError(
            f'{item.nodeid}: @pytest.mark.undeclared expects a reason, such as "sample data".'
        )
    return marker is None


def _fail(observer: StrictObserver) -> None:
    if observer.violations:
        violations = "\n".join(dict.fromkeys(map(str, observer.violations)))
        pytest.fail(f"Calls that match no access pattern:\n{violations}", pytrace=False)
