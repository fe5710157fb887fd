"""A name with a slash is one path segment; routes are prepared when they are needed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from inspect import Signature

import httpx2
import pytest
import uvicorn
from fastapi import APIRouter, Depends, FastAPI
from fastapi.testclient import TestClient

from singletable_apps.shared.web import Segment, add_routes
from tests.apps.shared.web.notes import make_client, make_notes

router = APIRouter()


@router.get("/names/{name}")
def one(name: Segment) -> list[str]:
    """Return one name."""
    return [name]


@router.get("/names/{name}/{other}")
def two(name: Segment, other: Segment) -> list[str]:
    """Return two names."""
    return [name, other]


def serve(app: FastAPI) -> Iterator[httpx2.Client]:
    """Yield a client of the app on a real server."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_level="critical", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        host, port = listening.getsockname()
        try:
            with httpx2.Client(base_url=f"http://{host}:{port}") as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module", params=["test client", "server"])
def client(request: pytest.FixtureRequest) -> Iterator[httpx2.Client]:
    """Return a client, by either transport."""
    if request.param == "server":
        yield from serve(make_notes(more=[router]))
    else:
        yield make_client(more=[router])


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("tea", ["tea"]),
        ("tea%2Fcoffee", ["tea/coffee"]),
        ("tea%2fcoffee", ["tea/coffee"]),
        ("tea/coffee", ["tea", "coffee"]),
        ("%2F/%2F%2F", ["/", "//"]),
        ("%252F", ["%2F"]),
        ("100%25", ["100%"]),
        ("a+b%20c", ["a+b c"]),
        ("%C3%A4%F0%9F%98%80", ["ä😀"]),
        ("a%3Fb%23c", ["a?b#c"]),
        ("%00", ["\x00"]),
    ],
)
def test_any_name_fits_in_one_path_segment(
    client: httpx2.Client, path: str, names: list[str]
) -> None:
    answer = client.get(f"/api/names/{path}")
    assert answer.status_code == 200
    assert answer.json() == names


@pytest.mark.parametrize("path", ["%FF", "a%C3", "%ED%A0%80", "x%F4%8F%BF%BDy"])
def test_malformed_path_is_rejected(client: httpx2.Client, path: str) -> None:
    answer = client.get(f"/api/names/{path}")
    assert answer.status_code == 400
    assert answer.json()["type"] == "/api/problems/malformed-path"
    assert answer.json()["instance"] == f"/api/names/{path}"


def test_server_survives_large_headers_and_bodies(client: httpx2.Client) -> None:
    assert client.head("/api/names/tea").headers["content-length"] == "7"
    rejected = client.post("/api/notes", content=b" " * (1 << 20) + b" ")
    assert rejected.status_code == 413
    assert client.get("/api/names/tea").json() == ["tea"]


def test_routes_are_prepared_at_their_first_request() -> None:
    # All apps of a site have 650 routes, and preparing them takes most of the time of opening one.
    inspected: list[str] = []

    class Dependency:
        def __call__(self) -> None:
            pass

        @property
        def __signature__(self) -> Signature:
            inspected.append("once more")
            return Signature()

    router = APIRouter()

    @router.get("/greeting", dependencies=[Depends(Dependency())])
    def greet() -> str:
        return "hello"

    inspected.clear()
    app = FastAPI()
    add_routes(app, router, "/notes")
    assert inspected == []
    assert TestClient(app).get("/notes/greeting").json() == "hello"
