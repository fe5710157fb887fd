"""Shared fixtures of the fuzz tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

from tools.testing.fuzz.call_budget import set_terminal
from tools.testing.fuzz.sandbox import Sandbox


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Print tracebacks of hanging tests where pytest prints those of crashes."""
    set_terminal(config.stash.get(fault_handler_stderr_fd_key, 2))


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    """Return an engine with tables to attack."""
    sandbox = Sandbox()
    yield sandbox
    sandbox.engine.close()
