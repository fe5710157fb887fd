"""Databases with views: a file and, in the rest of the tests, servers."""

from __future__ import annotations

import pytest

from singletable.cli import main
from tests.sql.databases import SERVERS, new_address
from tools.testing.commands import Run


@pytest.fixture(
    scope="module", params=["file", *(pytest.param(one, marks=pytest.mark.rest) for one in SERVERS)]
)
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the address of a new, empty database."""
    return new_address(request.param, tmp_path_factory.mktemp("sql"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs commands."""
    return Run(main, capsys)
