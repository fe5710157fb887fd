"""What goes wrong is answered as a problem that says what to do, and leaks nothing."""

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
from tests.apps.shared.web.notes import client, write

router = APIRouter()
waiting: list[Exception] = []


@router.get("/trouble")
def trouble() -> None:
    """Raise what is waiting."""
    raise waiting.pop()


asking = client(more=[router])


def raising(error: Exception) -> httpx2.Response:
    """What is answered when a handler raises the error."""
    waiting.append(error)
    return asking.get("/api/trouble")


def test_a_problem_says_all_that_it_knows() -> None:
    fault = FieldError("Expected another name.", pointer="/name")
    problem = Problem(
        NOT_ALLOWED,
        "Ask Ada.",
        errors=[fault],
        headers={"Retry-After": "9"},
        instance="/notes/7",
        extensions={"owner": "ada"},
    )
    answer = raising(problem)
    assert answer.status_code == 403
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] == "9"
    assert answer.json() == {
        "owner": "ada",
        "type": "/api/problems/not-allowed",
        "title": "You don't have access to this",
        "status": 403,
        "detail": "Ask Ada.",
        "instance": "/notes/7",
        "request": answer.headers["x-request-id"],
        "errors": [{"pointer": "/name", "detail": "Expected another name."}],
    }


@pytest.mark.parametrize("kind", COMMON, ids=lambda kind: kind.name)
def test_the_type_of_a_problem_leads_to_a_page_about_it(kind: ProblemType) -> None:
    page = asking.get(f"/api/problems/{kind.name}")
    assert page.json()["about"] == kind.about
    text = asking.get(f"/api/problems/{kind.name}", headers={"Accept": "text/html, */*"}).text
    assert text.startswith(f"{kind.title} ({kind.status})")


def test_kinds_of_an_app_have_pages_beside_the_common_ones() -> None:
    names = [kind["type"] for kind in asking.get("/api/problems").json()]
    assert "/api/problems/name-taken" in names
    assert len(names) == len(COMMON) + 1
    assert asking.get("/api/problems/none-such").status_code == 404


def test_a_kind_is_declared_once() -> None:
    with pytest.raises(ValueError, match="not-found is there twice"):
        make_app(
            "Twice",
            "1",
            routers=[],
            problem_types=[ProblemType("not-found", 404, "Not here", "Look again.")],
        )


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
def test_an_exception_is_the_problem_that_it_is_to_the_caller(
    error: Exception, status: int, name: str
) -> None:
    answer = raising(error)
    assert answer.status_code == status
    assert answer.json()["type"] == f"/api/problems/{name}"
    assert ("retry-after" in answer.headers) == (status == 503)


def test_a_status_without_a_kind_is_about_nothing_more_than_itself() -> None:
    assert raising(HTTPException(404, "No such tea.")).json()["detail"] == "No such tea."
    problem = raising(HTTPException(418, "Tea.")).json()
    assert problem["type"] == "about:blank"
    assert problem["detail"] == "Tea."


def test_what_nobody_foresaw_is_written_down_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "singletable_apps.errors"):
        answer = raising(RuntimeError("password=hunter2"))
    assert "hunter2" not in answer.text
    assert answer.json()["request"] in caplog.text
    assert "raise waiting.pop()" in caplog.text
    assert "RuntimeError: password=hunter2" in caplog.text


def test_who_is_not_signed_in_learns_how() -> None:
    assert raising(Problem(NOT_SIGNED_IN)).headers["www-authenticate"] == "Bearer"


def test_an_unknown_address_is_a_problem_whatever_the_method() -> None:
    for method in ("GET", "POST", "OPTIONS", "DELETE", "BREW"):
        answer = asking.request(method, "/api/nothing")
        assert (answer.status_code, answer.json()["title"]) == (404, "Not found")


def test_a_slash_more_is_another_address_and_not_redirected() -> None:
    write(asking, "tea")
    assert asking.get("/api/notes/tea").status_code == 200
    assert asking.get("/api/notes/tea/", follow_redirects=False).status_code == 404
