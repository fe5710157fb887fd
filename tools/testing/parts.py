"""Which tests are quick, how many examples property tests try, and when garbage is collected.

`make test` runs the quick part, before every commit. `make test-all` runs it and the rest: what
needs other programs than Python and a browser, and what only takes long.
"""

from __future__ import annotations

import gc
import os
import re
from functools import cache
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers

# The examples are the same each time, so that only a change of the code makes a test fail.
settings.register_profile(
    "same", derandomize=True, max_examples=25, deadline=None, print_blob=True, database=None
)
settings.register_profile("quick", settings.get_profile("same"), max_examples=10)
# `long` is for `make fuzz`: new examples each time, and failures are remembered.
settings.register_profile(
    "long",
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "2000")),
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("same")

ROOT = Path(__file__).resolve().parents[2]
# The SQL server on which tests run that otherwise use memory.
SERVER = os.environ.get("SQL_SERVER", "")
# Folders and files that are not in the quick part, except for one journey through each app.
REST = {
    *("benchmarks", "browser", "clients", "differential", "drills", "fuzz", "sql_storage"),
    "typing",
    *("test_cdk.py", "test_crashes.py", "test_known_failures.py", "test_make_run.py"),
    *("test_memory.py", "test_power_cuts.py", "test_process.py", "test_schemathesis.py"),
}
BROWSER = "tests/browser"  # of singletable-apps
JOURNEYS = (
    f"{BROWSER}/games/test_host.py::test_phones_and_screens_go_on_to_the_next_game",
    f"{BROWSER}/polls/test_use.py::test_create_and_vote_by_touch_on_a_phone",
    f"{BROWSER}/portfolio/test_whole_story.py::",
    f"{BROWSER}/skills/test_whole_story.py::",
    f"{BROWSER}/test_election.py::",
)
# In the quick part, a test that runs on several drivers runs on one of these in turn, half of the
# tests of stores and apps in memory: all run the same engine. The rest runs it on all others.
DRIVERS = {
    "opener": (
        *("memory", "memory, async", "memory", "file", "memory"),
        *("file, async", "memory", "http", "memory", "http, async"),
    ),
    "driver": ("memory", "file", "wire", "http"),
    "drivers": ("memory", "file", "memory", "http"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that chooses a part."""
    parser.addoption("--part", choices=("quick", "rest"), help="run one part of the tests")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and let other processes import what tests can."""
    # The tests of this house come first: each house has a package of this name.
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, dict.fromkeys([config.rootpath, ROOT])))
    config.addinivalue_line("markers", "rest: not in the quick part, because it takes long")
    if config.option.part == "quick":
        settings.load_profile("quick")
    if settings().derandomize:
        # Otherwise, examples contain constants of all modules that other tests have loaded.
        vars(providers)["is_local_module_file"] = lambda path: False


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import what is not in the quick part."""
    if config.option.part != "quick" or not _is_in_rest(collection_path):
        return None
    name = collection_path.relative_to(config.rootpath).as_posix()
    return not any(journey.startswith(name) for journey in JOURNEYS) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the tests of the chosen part, and on a SQL server those that otherwise use memory."""
    part = config.option.part
    if part is None and not SERVER:
        return
    turns = _drivers_in_turn(items)
    chosen = [
        item
        for item in items
        if part in (None, *_parts_of(item, turns)) and not (SERVER and _uses_other_storage(item))
    ]
    kept = set(map(id, chosen))
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = chosen


def _params(item: pytest.Item) -> dict[str, Any]:
    call: Any = getattr(item, "callspec", None)  # pytest does not declare it
    return {} if call is None else call.params


def _uses_other_storage(item: pytest.Item) -> bool:
    """Return whether a test runs on a file or on another engine, whatever the SQL server is."""
    if "foreign" in getattr(item, "fixturenames", ()):
        return True
    params = _params(item)
    drivers = [params[fixture] for fixture in (*DRIVERS, "sides") if fixture in params]
    return not all(str(driver).startswith(("memory", "http", "wire")) for driver in drivers)


@cache
def _is_in_rest(path: Path) -> bool:
    return path.is_relative_to(ROOT) and not REST.isdisjoint(path.relative_to(ROOT).parts)


def _parts_of(item: pytest.Item, turns: dict[str, str]) -> tuple[str, ...]:
    """Return the part of a test. A property is in both, with more examples in the rest."""
    if _is_in_rest(item.path):
        return ("quick",) if item.nodeid.startswith(JOURNEYS) else ("rest",)
    if item.get_closest_marker("rest"):
        return ("rest",)
    name, _, driver = _split_driver(item)
    if turns.get(name, driver) != driver:
        return ("rest",)
    return ("quick", "rest") if is_hypothesis_test(getattr(item, "obj", None)) else ("quick",)


def _drivers_in_turn(items: list[pytest.Item]) -> dict[str, str]:
    """Return the driver of each test that has several, by the name that all its cases share."""
    available: dict[str, tuple[str, set[str]]] = {}
    for item in items:
        name, fixture, driver = _split_driver(item)
        if fixture:
            available.setdefault(name, (fixture, set()))[1].add(driver)
    chosen: dict[str, str] = {}
    for name, (fixture, drivers) in available.items():
        turns = [driver for driver in DRIVERS[fixture] if driver in drivers]
        chosen[name] = turns[crc32(name.encode()) % len(turns)] if turns else ""
    return chosen


def _split_driver(item: pytest.Item) -> tuple[str, str, str]:
    """Return the name of a test without its driver, the driver's fixture, and the driver."""
    params = _params(item)
    for fixture in DRIVERS:
        driver = params.get(fixture)
        if isinstance(driver, str):
            in_id = rf"(?<=[\[-]){re.escape(driver)}(?=[\]-])"
            return re.sub(in_id, "…", item.nodeid, count=1), fixture, driver
    return item.nodeid, "", ""


if SERVER:
    from dynamodb_engine import Engine
    from tools.testing.sql_servers import open_engine

    Engine.in_memory = staticmethod(open_engine)  # type: ignore[method-assign]

# What is imported stays until the end, so there is no garbage in it.
gc.disable()


def pytest_collection_finish() -> None:
    """Collect garbage seldom, and not in what stays: it takes a tenth of the time otherwise."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)
