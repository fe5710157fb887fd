"""The plugin itself: options, markers and fixtures.

Every pytest run of a project that has this package installed loads this file. So it imports
nothing of the library until something of it is asked for.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, cast

import pytest

if TYPE_CHECKING:
    from singletable.patterns import PatternCatalog
    from singletable.testing.clock import StoreClock
    from singletable.testing.makers import MakeAsyncStore, MakeStore
    from singletable.testing.stores import Stores
    from singletable.testing.strict import Watch


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options and settings."""
    group = parser.getgroup("singletable", "single-table designs")
    group.addoption(
        "--singletable-strict",
        action="store_true",
        help="fail a test that calls a store in a way that no access pattern declares, or scans",
    )
    group.addoption(
        "--singletable-report",
        action="store_true",
        help="show at the end what the calls of each access pattern came to",
    )
    parser.addini("singletable_strict", "as --singletable-strict", type="bool", default=False)
    parser.addini(
        "singletable_catalogues",
        "catalogs of access patterns: app.patterns, or app.patterns:elections",
        type="linelist",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Markers, and the report if it is wanted."""
    config.addinivalue_line(
        "markers", "faults(throttle=0.1, …): stores of this test fail as DynamoDB does"
    )
    config.addinivalue_line(
        "markers", "undeclared(reason): calls of this test need not be of a declared pattern"
    )
    if config.getoption("--singletable-report"):
        from singletable.testing.report import Report

        config.pluginmanager.register(Report(_catalogues(config)), "singletable-report")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Watch the test itself; what its fixtures do is not looked at."""
    if not _is_strict(item):
        return (yield)
    from singletable.store.calls import observe_all_stores
    from singletable.testing.strict import Watch

    watch = Watch(_needed(item.config))
    with observe_all_stores(watch):
        result = yield
    _fail(watch)
    return result


@pytest.fixture
def store_clock() -> StoreClock:
    """The clock of the stores of this test; it stands still until it is moved."""
    from singletable.testing.clock import StoreClock

    return StoreClock()


@pytest.fixture
def singletable_stores(request: pytest.FixtureRequest, store_clock: StoreClock) -> Iterator[Stores]:
    """What makes the stores of this test, and closes them after it."""
    from singletable.testing.catalogs import tables_of
    from singletable.testing.marked import faults_marked
    from singletable.testing.stores import Stores

    item = cast(pytest.Item, request.node)  # pyright: ignore[reportUnknownMemberType]
    stores = Stores(tables_of(_catalogues(request.config)), store_clock, faults_marked(item))
    yield stores
    stores.close()


@pytest.fixture
def make_store(singletable_stores: Stores) -> MakeStore:
    """Makes a store in memory: `make_store()` with the tables of the catalogs, or with some."""
    return singletable_stores.store


@pytest.fixture
def make_async_store(singletable_stores: Stores) -> MakeAsyncStore:
    """Makes a store in memory for an event loop."""
    return singletable_stores.async_store


def _catalogues(config: pytest.Config) -> list[PatternCatalog]:
    names = cast("list[str]", config.getini("singletable_catalogues"))
    if not names:
        return []
    from singletable.testing.catalogs import catalogues_named

    return catalogues_named(names)


def _needed(config: pytest.Config) -> list[PatternCatalog]:
    catalogs = _catalogues(config)
    if not catalogs:
        raise pytest.UsageError(
            "singletable_strict compares calls with declared patterns, and no catalog is named. "
            "Set singletable_catalogues = app.patterns in the settings of pytest."
        )
    return catalogs


def _is_strict(item: pytest.Item) -> bool:
    wanted = item.config.getoption("--singletable-strict") or item.config.getini(
        "singletable_strict"
    )
    if not wanted:
        return False
    marker = item.get_closest_marker("undeclared")
    if marker is not None and not marker.args:
        raise pytest.UsageError(
            f"{item.nodeid}: @pytest.mark.undeclared expects the reason why its calls are of no "
            "pattern."
        )
    return marker is None


def _fail(watch: Watch) -> None:
    if watch.violations:
        told = "\n".join(dict.fromkeys(map(str, watch.violations)))
        pytest.fail(f"Calls that no access pattern declares:\n{told}", pytrace=False)
