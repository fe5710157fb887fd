"""Security headers, request ids and the request log."""

from __future__ import annotations

import json
import logging

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient
from starlette.responses import HTMLResponse, Response

from singletable_apps.shared.web import Settings
from singletable_apps.shared.web.middleware import JSON_POLICY
from tests.apps.shared.web.notes import make_client, make_notes, write

router = APIRouter()


@router.get("/site/special")
def special() -> Response:
    """Return a page with its own headers."""
    headers = {"Content-Security-Policy": "default-src 'self'", "Cache-Control": "max-age=60"}
    return HTMLResponse("<h1>Notes</h1>", headers=headers)


client = make_client(more=[router])


@pytest.mark.parametrize("address", ["/api/notes", "/api/nothing", "/api/notes/%ff"])
def test_every_response_has_the_security_headers(address: str) -> None:
    headers = client.get(address).headers
    assert headers["content-security-policy"] == JSON_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["referrer-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "strict-transport-security" not in headers


def test_strict_transport_security_is_sent_over_https_only() -> None:
    safe = TestClient(make_notes(), base_url="https://notes.example")
    assert "max-age=63072000" in safe.get("/api/notes").headers["strict-transport-security"]


# Browsers apply the header to all ports, so it would break other programs on this machine.
@pytest.mark.parametrize("url", ["https://localhost:8443", "https://127.0.0.1"])
def test_strict_transport_security_is_not_sent_for_localhost(url: str) -> None:
    for settings in (Settings(), Settings(public_url=url)):
        local = TestClient(make_notes(settings=settings), base_url=url)
        assert "strict-transport-security" not in local.get("/api/notes").headers


def test_handlers_can_override_headers() -> None:
    headers = client.get("/api/site/special").headers
    assert headers.get_list("content-security-policy") == ["default-src 'self'"]
    assert headers.get_list("cache-control") == ["max-age=60"]


@pytest.mark.parametrize("sent", ["a", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "A.b_c"])
def test_valid_request_id_is_kept(sent: str) -> None:
    assert client.get("/api/notes", headers={"X-Request-Id": sent}).headers["x-request-id"] == sent


@pytest.mark.parametrize("sent", ["", "a b", "x" * 65, "<script>", '{"a":1}'])
def test_invalid_request_id_is_replaced(sent: str) -> None:
    answer = client.get("/api/notes", headers={"X-Request-Id": sent})
    assert answer.headers["x-request-id"] != sent
    assert len(answer.headers["x-request-id"]) == 16


def test_each_request_is_logged_in_one_line_without_its_query(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO, "singletable_apps.access"):
        client.get("/api/notes/te%20a?token=hunter2", headers={"X-Request-Id": "r1"})
    (record,) = caplog.records
    line = json.loads(record.getMessage())
    assert line.pop("ms") >= 0
    assert line == {
        "request": "r1",
        "client": "testclient",
        "method": "GET",
        "path": "/api/notes/te%20a",
        "status": 404,
    }


def test_head_returns_get_without_the_body() -> None:
    write(client, "tea")
    got, head = client.get("/api/notes/tea"), client.head("/api/notes/tea")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-length", "content-type", "etag"):
        assert head.headers[name] == got.headers[name]
    assert client.head("/api/notes/nothing").status_code == 404


def test_allow_header_lists_all_methods() -> None:
    options = client.options("/api/notes/tea")
    assert (options.status_code, options.content) == (204, b"")
    assert options.headers["allow"] == "GET, PUT, DELETE, HEAD, OPTIONS"
    for method in ("POST", "PATCH", "TRACE", "BREW"):
        rejected = client.request(method, "/api/notes/tea")
        assert rejected.status_code == 405
        assert rejected.headers["allow"] == options.headers["allow"]
    # A route without GET has no HEAD either, but the URL is known.
    assert client.get("/api/notes/tea/labels/hot").headers["allow"] == "PUT, OPTIONS"
