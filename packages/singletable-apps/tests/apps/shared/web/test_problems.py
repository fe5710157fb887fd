"""Errors become problems that say what to do and disclose nothing."""

from __future__ import annotations

import logging

import httpx2
import pytest
from fastapi import APIRouter, HTTPException

from singletable import (
    ConnectionFailed,
    InternalError,
    InvalidCursor,
    InvalidValue,
    ServiceUnavailable,
    Throttled,
    TransactionConflict,
)
from singletable_apps.shared.web import (
    COMMON,
    NOT_ALLOWED,
    NOT_SIGNED_IN,
    FieldError,
    Problem,
    ProblemType,
    make_app,
)
from tests.apps.shared.web.notes import make_client, write

router = APIRouter()
waiting: list[Exception] = []


@router.get("/trouble")
def trouble() -> None:
    """Raise the pending error."""
    raise waiting.pop()


client = make_client(more=[router])


def response_to(error: Exception) -> httpx2.Response:
    """Return the response to a request whose handler raises the error."""
    waiting.append(error)
    return client.get("/api/trouble")


def test_problem_has_all_members() -> None:
    fault = FieldError("Expected another name.", pointer="/name")
    problem = Problem(
        NOT_ALLOWED,
        "Ask Ada.",
        errors=[fault],
        headers={"Retry-After": "9"},
        extensions={"owner": "ada"},
    )
    answer = response_to(problem)
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "9"
    assert answer.json() == {
        "owner": "ada",
        "type": "/api/problems/not-allowed",
        "title": "You don’t have access to this",
        "status": 403,
        "detail": "Ask Ada.",
        "instance": "/api/trouble",
        "request": answer.headers["x-request-id"],
        "errors": [{"pointer": "/name", "detail": "Expected another name."}],
    }


@pytest.mark.parametrize("kind", COMMON, ids=lambda kind: kind.name)
def test_problem_type_url_leads_to_its_page(kind: ProblemType) -> None:
    page = client.get(f"/api/problems/{kind.name}")
    assert page.json()["about"] == kind.about


def test_problem_types_of_an_app_have_pages_too() -> None:
    names = [kind["type"] for kind in client.get("/api/problems").json()]
    assert "/api/problems/name-taken" in names
    assert len(names) == len(COMMON) + 1
    assert client.get("/api/problems/none-such").status_code == 404


def test_duplicate_problem_type_is_rejected() -> None:
    taken = ProblemType("taken", 409, "Name taken", "Choose another.")
    with pytest.raises(ValueError, match="taken is there twice"):
        make_app("Twice", "1", routers=[], problem_types=[taken, taken])


@pytest.mark.parametrize(
    ("error", "status", "name"),
    [
        (InvalidCursor("No."), 400, "cursor-refused"),
        (Throttled("Slow down."), 503, "try-later"),
        (ServiceUnavailable("Away."), 503, "try-later"),
        (InternalError("Broken over there."), 503, "try-later"),
        (TransactionConflict("Busy."), 503, "try-later"),
        (ConnectionFailed("No answer.", may_have_arrived=False), 503, "try-later"),
        (HTTPException(404, "No such thing."), 404, "not-found"),
        (HTTPException(403, "No."), 403, "not-allowed"),
        (InvalidValue("A bug of ours."), 500, "unforeseen"),
        (ZeroDivisionError("password=hunter2"), 500, "unforeseen"),
    ],
    ids=lambda case: type(case).__name__ if isinstance(case, Exception) else None,
)
def test_exceptions_become_problems(error: Exception, status: int, name: str) -> None:
    answer = response_to(error)
    assert answer.status_code == status
    assert answer.json()["type"] == f"/api/problems/{name}"
    assert ("retry-after" in answer.headers) == (status == 503)


@pytest.mark.parametrize("status", [400, 418])
def test_other_statuses_become_untyped_problems(status: int) -> None:
    assert response_to(HTTPException(404, "No such tea.")).json()["detail"] == "No such tea."
    problem = response_to(HTTPException(status, "Tea.")).json()
    assert problem["type"] == "about:blank"
    assert problem["detail"] == "Tea."


def test_unexpected_error_is_logged_and_not_disclosed(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "singletable_apps.errors"):
        answer = response_to(RuntimeError("password=hunter2"))
    assert "hunter2" not in answer.text
    assert answer.json()["request"] in caplog.text
    assert "raise waiting.pop()" in caplog.text
    assert "RuntimeError: password=hunter2" in caplog.text


def test_not_signed_in_has_www_authenticate() -> None:
    assert response_to(Problem(NOT_SIGNED_IN)).headers["www-authenticate"] == "Bearer"


def test_unknown_url_is_a_problem_for_every_method() -> None:
    for method in ("GET", "POST", "OPTIONS", "DELETE", "BREW"):
        answer = client.request(method, "/api/nothing")
        assert (answer.status_code, answer.json()["title"]) == (404, "Not found")


def test_trailing_slash_is_not_redirected() -> None:
    write(client, "tea")
    assert client.get("/api/notes/tea").status_code == 200
    assert client.get("/api/notes/tea/", follow_redirects=False).status_code == 404
