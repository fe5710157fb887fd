"""Pages of other sites change nothing here."""

from __future__ import annotations

import pytest
from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from singletable_apps.shared.web import Settings
from tests.apps.shared.web.notes import client

router = APIRouter()


@router.api_route("/thing", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
def thing() -> None:
    """Do something."""


@router.websocket("/talk")
async def talk(socket: WebSocket) -> None:
    """Say one thing."""
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


asking = client(settings=Settings(trusted_origins=("https://trusted.example",)), more=[router])
HOST = {"Host": "notes.example"}
# What a browser sends, and whether it may: the table of Go's CrossOriginProtection.
CASES: list[tuple[dict[str, str], bool]] = [
    ({}, True),
    ({"Sec-Fetch-Site": "same-origin"}, True),
    ({"Sec-Fetch-Site": "none"}, True),
    ({"Sec-Fetch-Site": "same-site"}, False),
    ({"Sec-Fetch-Site": "cross-site"}, False),
    ({"Sec-Fetch-Site": "whatever"}, False),
    ({"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"}, True),
    ({"Sec-Fetch-Site": "cross-site", "Origin": "https://notes.example"}, False),
    ({"Sec-Fetch-Site": "cross-site", "Origin": "https://trusted.example"}, True),
    ({"Origin": "https://notes.example"}, True),
    ({"Origin": "http://notes.example"}, True),
    ({"Origin": "https://notes.example:8443"}, False),
    ({"Origin": "https://evil.example"}, False),
    ({"Origin": "https://trusted.example"}, True),
    ({"Origin": "null"}, False),
    ({"Origin": "https://[broken"}, False),
    ({"Origin": "https://evil.example", "Authorization": "Bearer x"}, False),
]


@pytest.mark.parametrize(("headers", "allowed"), CASES, ids=range(len(CASES)))
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_an_unsafe_request_is_from_here(
    method: str, headers: dict[str, str], allowed: bool
) -> None:
    answer = asking.request(method, "/api/thing", headers={**HOST, **headers})
    assert answer.status_code == (200 if allowed else 403)
    if not allowed:
        assert answer.json()["type"] == "/api/problems/cross-origin"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_safe_request_is_from_anywhere(method: str) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert asking.request(method, "/api/thing", headers=headers).is_success


@pytest.mark.parametrize(("headers", "allowed"), CASES, ids=range(len(CASES)))
def test_a_socket_is_opened_from_here(headers: dict[str, str], allowed: bool) -> None:
    try:
        with asking.websocket_connect("/api/talk", headers={**HOST, **headers}) as socket:
            assert socket.receive_text() == "hello"
            assert allowed
    except WebSocketDisconnect:
        assert not allowed
