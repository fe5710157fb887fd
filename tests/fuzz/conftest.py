"""What the attacks share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

from tests.fuzz.work import tell_terminal
from tests.fuzz.world import World


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Have what hangs shown where pytest shows what crashes."""
    tell_terminal(config.stash.get(fault_handler_stderr_fd_key, 2))


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """Tables to attack."""
    world = World()
    yield world
    world.engine.close()
