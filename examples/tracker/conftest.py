"""The API on each driver: in memory, in a file, and over HTTP."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from singletable import Store, connect
from singletable.testing import StoreFactory
from tracker.api import make_app
from tracker.entities import table


@pytest.fixture(scope="session")
def endpoint() -> Iterator[str]:
    """Start a DynamoDB endpoint and yield its address."""
    engine = Path(sys.executable).with_name("dynamodb-engine")
    command = [str(engine), "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = next(word for line in process.stdout for word in line.split() if "://" in word)
        yield f"dynamodb+{url}"
        process.terminate()


@pytest.fixture(params=["memory", "file", "http"])
def store(
    request: pytest.FixtureRequest, make_store: StoreFactory, tmp_path: Path
) -> Iterator[Store]:
    """Yield a store with an empty table on each driver."""
    if request.param == "memory":
        yield make_store()
        return
    address = f"file:{tmp_path}/tracker.db"
    if request.param == "http":
        address = request.getfixturevalue("endpoint")
    with connect(address) as driver:
        store = Store(driver, tables={table: f"tracker-{uuid4()}"})
        store.admin.create_table(table)
        yield store


@pytest.fixture
def client(store: Store) -> TestClient:
    """Return a client of the API, in which acme has a project with two issues."""
    client = TestClient(make_app(store))
    admin = {"login": "ada", "email": "ada@acme.example"}
    client.post("/orgs", json={"org": "acme", "name": "Acme", "admin": admin})
    client.post("/orgs/acme/projects", json={"project": "web", "title": "Website"})
    for title in ("Login fails", "Slow search"):
        client.post("/orgs/acme/projects/web/issues", json={"title": title})
    return client
