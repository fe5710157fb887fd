"""The frame of an app rejects wrong declarations when the app is made."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from fastapi import APIRouter, Request
from fastapi.testclient import TestClient

from singletable import connect
from singletable_apps.shared.errors import AppError, Busy, NotFound, RequestRejected
from singletable_apps.shared.frame import (
    AppSpec,
    Job,
    Opening,
    PageContext,
    count_request,
    limited,
)
from singletable_apps.shared.frame.jobs import run_jobs
from singletable_apps.shared.serve import PublicUrl
from singletable_apps.shared.urls import Urls

router = APIRouter(generate_unique_id_function=lambda route: route.name)


@router.get("/ping", dependencies=limited("ping"))
def ping(fail: str = "") -> str:
    """Answer, or fail."""
    if fail:
        raise {"none": NotFound, "busy": Busy, "broken": AppError}[fail]("Not now.")
    return "pong"


page_router = APIRouter()


@page_router.get("/counted")
def show_counted(request: Request) -> str:
    """Count a request."""
    count_request(request, "ping")
    return "counted"


@dataclass(frozen=True)
class Context:
    """What the service works with."""

    urls: Urls
    secret: bytes = bytes(32)


@dataclass(frozen=True)
class Pings:
    """The service."""

    context: Context


@contextmanager
def _open(opening: Opening) -> Generator[Pings]:
    yield Pings(Context(Urls("/pings", opening.public)))


def spec(**changes: Any) -> AppSpec[Pings]:
    """Return an app that answers."""
    return AppSpec[Pings](
        **{
            "tagline": "",
            "about": "",
            "folder": Path("pings"),
            "open": _open,
            "description": "",
            "routers": [router],
            "pages": [page_router],
            "limits": {"ping": (2, 60)},
            **changes,
        }
    )


def made(app: AppSpec[Pings], prefix: str = "/pings", *, is_limited: bool = True) -> TestClient:
    web = app.make_app(Pings(Context(Urls(prefix))), limited=is_limited)
    return TestClient(web, base_url="https://testserver", raise_server_exceptions=False)


def test_limits_hold_for_the_api_and_the_pages_together() -> None:
    client = made(spec())
    assert [client.get(path).status_code for path in ("/api/pings/ping", "/pings/counted")] == [
        200,
        200,
    ]
    assert client.get("/api/pings/ping").status_code == 429
    free = made(spec(), is_limited=False)
    assert {free.get("/api/pings/ping").status_code for _ in range(4)} == {200}


@pytest.mark.parametrize(
    ("failure", "status", "shown"),
    [("none", 404, True), ("busy", 503, True), ("broken", 500, False)],
)
def test_only_errors_with_a_problem_type_are_shown(failure: str, status: int, shown: bool) -> None:
    answer = made(spec()).get(f"/api/pings/ping?fail={failure}")
    assert (answer.status_code, "Not now." in answer.text) == (status, shown)
    assert (answer.headers.get("retry-after") == "1") == (failure == "busy")


class Tired(RequestRejected):
    """Not now."""


class PageOfPings(PageContext[Pings, Urls]):
    """Shows a form again if the service is tired."""

    rejects = (*PageContext.rejects, Tired)


def test_app_adds_its_own_errors_to_those_that_show_a_form_again() -> None:
    assert {Busy, Tired} <= {*PageOfPings.rejects}


def test_limit_that_is_not_declared_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"one of the limits pong at /ping, but got ping"):
        made(spec(limits={"pong": (1, 1)}))


# Otherwise every path, those of the API too, would accept forms of this size.
def test_upload_of_a_whole_site_at_the_root_is_an_error() -> None:
    uploads = spec(uploads={"/pings": 100})
    made(uploads)
    with pytest.raises(ValueError, match="Expected uploads below /pings/"):
        made(uploads, prefix="")


def test_app_without_accounts_has_no_visitor() -> None:
    state: Any = made(spec()).app.state.frame  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"AppSpec\(people=…\)"):
        _ = state.auth


def test_jobs_run_until_the_context_ends_and_survive_errors(
    caplog: pytest.LogCaptureFixture,
) -> None:
    calls, enough = list[str](), Event()

    def run(service: str) -> None:
        calls.append(service)
        if len(calls) == 1:
            raise ValueError("broken")
        enough.set()

    with run_jobs([Job("e-mails", 0, run)], "service"):
        assert enough.wait(10)
    assert set(calls) == {"service"}
    assert "The job “e-mails” failed." in caplog.text
    assert "e-mails" not in [thread.name for thread in threading.enumerate()]


# A server that is restarted more often than a job is due would never run it.
def test_rare_jobs_run_soon_after_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable_apps.shared.frame.jobs.FIRST_WAIT", 0.01)
    calls, called = list[str](), Event()

    def run(service: str) -> None:
        calls.append(service)
        called.set()

    with run_jobs([Job("certificates", 6 * 3600, run)], "service"):
        assert called.wait(10)
    assert calls == ["service"]


def test_app_needs_no_picture_and_accepts_forms(tmp_path: Path) -> None:
    form = APIRouter()
    form.add_api_route("/form", lambda: "sent", methods=["POST"])
    app = spec(folder=tmp_path / "pings", pages=[form])
    with connect("memory:") as driver:
        opening = Opening(driver, tmp_path)
        with app.open(opening) as service:
            running = app.run(service, opening, "memory:", PublicUrl("http://testserver"))
    assert running.info.picture == ""
    assert TestClient(running.app).post("/pings/form", data={"a": "b"}).status_code == 200
