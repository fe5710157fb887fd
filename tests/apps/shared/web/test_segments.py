"""A name with a slash is one segment of a path, on the test client and on a real server."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import httpx2
import pytest
import uvicorn
from fastapi import APIRouter, FastAPI

from singletable_apps.shared.web import Segment
from tests.apps.shared.web.notes import client, make_notes

router = APIRouter()


@router.get("/names/{name}")
def one(name: Segment) -> list[str]:
    """One name."""
    return [name]


@router.get("/names/{name}/{other}")
def two(name: Segment, other: Segment) -> list[str]:
    """Two names."""
    return [name, other]


def serve(app: FastAPI) -> Iterator[httpx2.Client]:
    """A client of the app on a real server, which ends with it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(app, log_level="critical", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        host, port = listening.getsockname()
        try:
            with httpx2.Client(base_url=f"http://{host}:{port}") as asking:
                yield asking
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module", params=["test client", "server"])
def asking(request: pytest.FixtureRequest) -> Iterator[httpx2.Client]:
    """Somebody who asks, one way or the other."""
    if request.param == "server":
        yield from serve(make_notes(more=[router]))
    else:
        yield client(more=[router])


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
def test_a_name_is_one_segment_whatever_it_contains(
    asking: httpx2.Client, path: str, names: list[str]
) -> None:
    answer = asking.get(f"/api/names/{path}")
    assert answer.status_code == 200
    assert answer.json() == names


@pytest.mark.parametrize("path", ["%FF", "a%C3", "%ED%A0%80", "x%F4%8F%BF%BDy"])
def test_a_path_that_cannot_be_read_is_a_problem(asking: httpx2.Client, path: str) -> None:
    answer = asking.get(f"/api/names/{path}")
    assert answer.status_code == 400
    assert answer.json()["type"] == "/api/problems/malformed-path"
    assert answer.json()["instance"] == f"/api/names/{path}"


def test_a_head_and_a_body_too_large_leave_the_server_well(asking: httpx2.Client) -> None:
    assert asking.head("/api/names/tea").headers["content-length"] == "7"
    refused = asking.post("/api/notes", content=b" " * (1 << 20) + b" ")
    assert refused.status_code == 413
    assert asking.get("/api/names/tea").json() == ["tea"]
