"""Fixtures for the peers, one of each per process, and a summary of what was compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from tests.differential.case import Tally
from tests.differential.dynalite_peer import Dynalite
from tests.differential.moto_peer import Moto
from tests.differential.peer import Peer

PEERS = ("moto", "dynalite")


@pytest.fixture(scope="session")
def dynalite() -> Iterator[Dynalite]:
    """Start a dynalite server for the whole run."""
    with Dynalite() as peer:
        yield peer


@pytest.fixture(scope="module")
def moto() -> Iterator[Moto]:
    """Yield moto for the tests of one file, because it mocks AWS process-wide."""
    with Moto() as peer:
        yield peer


@pytest.fixture
def peer_named(request: pytest.FixtureRequest) -> Callable[[str], Peer]:
    """Return a function that looks up a peer by name."""
    return lambda name: cast(Peer, request.getfixturevalue(name))


@pytest.fixture
def tally(record_property: Callable[[str, object], None]) -> Iterator[Tally]:
    """Count compared responses and report them at the end of the run."""
    counted = Tally()
    yield counted
    record_property("agreed", counted.agreed)
    record_property("refused", counted.refused)
    record_property("explained", dict(counted.explained))
    record_property("failures", dict(counted.failures))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report what was compared, if this folder was selected by name."""
    for peer in PEERS:
        agreed, refused = 0, 0
        explained: Counter[str] = Counter()
        failures: Counter[str] = Counter()
        # Output of a fixture's teardown is in a report without a category.
        for report in terminalreporter.stats.get("", []):
            if f"[{peer}" in report.nodeid and (counted := dict(report.user_properties)):
                agreed += counted.get("agreed", 0)
                refused += counted.get("refused", 0)
                explained.update(counted.get("explained", {}))
                failures.update(counted.get("failures", {}))
        if agreed:
            terminalreporter.section(f"compared with {peer}")
            terminalreporter.line(
                f"{agreed} answers agree, {refused} of them refusals; {explained.total()} differ "
                f"for known reasons; the peer failed on {failures.total()}"
            )
            for reason, times in explained.most_common():
                terminalreporter.line(f"{times:6} it {reason}")
            for failure, times in failures.most_common(5):
                terminalreporter.line(f"{times:6} {failure}")
