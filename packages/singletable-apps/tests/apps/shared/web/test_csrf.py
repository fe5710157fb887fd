"""Cross-origin requests cannot change anything."""

from __future__ import annotations

import pytest
from fastapi import APIRouter, WebSocket
from starlette.websockets import WebSocketDisconnect

from singletable_apps.shared.web import Settings
from tests.apps.shared.web.notes import make_client

router = APIRouter()


@router.api_route("/thing", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
def thing() -> None:
    """Do nothing."""


@router.websocket("/talk")
async def talk(socket: WebSocket) -> None:
    """Send one message."""
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


client = make_client(settings=Settings(trusted_origins=("https://trusted.example",)), more=[router])
HOST = {"Host": "notes.example"}
# Headers that a browser sends, and whether the request is allowed: the cases of Go's
# CrossOriginProtection.
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
def test_unsafe_requests_of_other_origins_are_rejected(
    method: str, headers: dict[str, str], allowed: bool
) -> None:
    answer = client.request(method, "/api/thing", headers={**HOST, **headers})
    assert answer.status_code == (200 if allowed else 403)
    if not allowed:
        assert answer.json()["type"] == "/api/problems/cross-origin"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_safe_requests_are_accepted_from_any_origin(method: str) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert client.request(method, "/api/thing", headers=headers).is_success


@pytest.mark.parametrize(("headers", "allowed"), CASES, ids=range(len(CASES)))
def test_websockets_of_other_origins_are_rejected(headers: dict[str, str], allowed: bool) -> None:
    try:
        with client.websocket_connect("/api/talk", headers={**HOST, **headers}) as socket:
            assert socket.receive_text() == "hello"
            assert allowed
    except WebSocketDisconnect:
        assert not allowed
