"""Answers tell browsers how far to trust them, and say which request they are for."""

from __future__ import annotations

import json
import logging

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient
from starlette.responses import HTMLResponse, Response

from singletable_apps.shared.web import JSON_POLICY, PAGE_POLICY, Settings
from tests.apps.shared.web.notes import client, make_notes, write

router = APIRouter()


@router.get("/site/page")
def page() -> Response:
    """A page as most are."""
    return HTMLResponse("<h1>Notes</h1>")


@router.get("/site/special")
def special() -> Response:
    """A page that knows better."""
    headers = {"Content-Security-Policy": "default-src 'self'", "Cache-Control": "max-age=60"}
    return HTMLResponse("<h1>Notes</h1>", headers=headers)


asking = client(settings=Settings(page_policies={"/api/site/": PAGE_POLICY}), more=[router])


@pytest.mark.parametrize("address", ["/api/notes", "/api/nothing", "/api/notes/%ff"])
def test_every_answer_has_the_headers(address: str) -> None:
    headers = asking.get(address).headers
    assert headers["content-security-policy"] == JSON_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["referrer-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"]
    assert "strict-transport-security" not in headers


def test_only_what_came_safely_is_to_stay_so() -> None:
    safe = TestClient(make_notes(), base_url="https://notes.example")
    assert "max-age=63072000" in safe.get("/api/notes").headers["strict-transport-security"]


def test_pages_have_a_policy_of_their_own_and_answers_may_know_better() -> None:
    headers = asking.get("/api/site/page").headers
    assert headers["content-security-policy"] == PAGE_POLICY
    assert headers["cache-control"] == "private, no-cache"
    headers = asking.get("/api/site/special").headers
    assert headers.get_list("content-security-policy") == ["default-src 'self'"]
    assert headers.get_list("cache-control") == ["max-age=60"]


@pytest.mark.parametrize("sent", ["a", "f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "A.b_c"])
def test_a_sane_number_of_a_request_is_kept(sent: str) -> None:
    assert asking.get("/api/notes", headers={"X-Request-Id": sent}).headers["x-request-id"] == sent


@pytest.mark.parametrize("sent", ["", "a b", "x" * 65, "<script>", '{"a":1}'])
def test_an_odd_number_of_a_request_is_replaced(sent: str) -> None:
    answer = asking.get("/api/notes", headers={"X-Request-Id": sent})
    assert answer.headers["x-request-id"] != sent
    assert len(answer.headers["x-request-id"]) == 16


def test_each_request_is_one_line_without_its_query(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "singletable_apps.access"):
        asking.get("/api/notes/te%20a?token=hunter2", headers={"X-Request-Id": "r1"})
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


def test_head_is_get_without_the_body() -> None:
    write(asking, "tea")
    got, head = asking.get("/api/notes/tea"), asking.head("/api/notes/tea")
    assert (head.status_code, head.content) == (200, b"")
    for name in ("content-length", "content-type", "etag"):
        assert head.headers[name] == got.headers[name]
    assert asking.head("/api/notes/nothing").status_code == 404


def test_an_address_tells_all_its_methods() -> None:
    options = asking.options("/api/notes/tea")
    assert (options.status_code, options.content) == (204, b"")
    assert options.headers["allow"] == "GET, PUT, DELETE, HEAD, OPTIONS"
    for method in ("POST", "PATCH", "TRACE", "BREW"):
        refused = asking.request(method, "/api/notes/tea")
        assert refused.status_code == 405
        assert refused.headers["allow"] == options.headers["allow"]
    # No GET, and so no HEAD: the address is known all the same.
    assert asking.get("/api/notes/tea/labels/hot").headers["allow"] == "PUT, OPTIONS"
