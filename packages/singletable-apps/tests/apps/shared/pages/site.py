"""A small app with pages for every kind of response."""

from __future__ import annotations

from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field, field_validator

from singletable_apps.shared.pages import Flash, Form, Link, Pages, PostedForm, Product
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_SIGNED_IN,
    UNAVAILABLE,
    Problem,
    Settings,
    make_app,
)
from singletable_apps.shared.web.problems import PRECONDITION_FAILED

SECRET = b"a secret of thirty-two bytes or more"
HOSTILE = "\"><script>alert('1')</script>"
BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PROBLEMS = {
    kind.status: Problem(kind, "So it is.", headers=headers)
    for kind, headers in (
        (NOT_SIGNED_IN, {}),
        (NOT_ALLOWED, {}),
        (PRECONDITION_FAILED, {"ETag": '"7"'}),
        (UNAVAILABLE, {"Retry-After": "1"}),
    )
}
PAGE = """\
{% extends "base.html" %}
{% import "macros/field.html" as field %}
{% block content %}<h1>{{ heading }}</h1>
{{ field.form_summary(form) }}
{{ field.text(form, "name", "Name") }}{{ field.password(form, "password", "Password") }}
{{ field.date(form, "due", "Due") }}
{{ field.datetime(form, "opens", "Opens") }}{{ field.checkbox(form, "secret", "Secret") }}
{{ field.checkboxes(form, "days", "Days", [("mon", "Monday", ""), ("tue", "Tuesday", "")]) }}
{% endblock %}
"""


class Terms(BaseModel):
    """The fields of the form."""

    name: Annotated[str, Field(min_length=1, max_length=20)]
    password: Annotated[str, Field(min_length=12)]
    seats: Annotated[int, Field(ge=1)] = 1
    opens: datetime | None = None
    due: date | None = None
    starts: time | None = None
    secret: bool = False
    method: Literal["schulze", "borda"] = "schulze"
    days: list[str] = []
    note: str | None = None

    @field_validator("name")
    @classmethod
    def _is_new(cls, name: str) -> str:
        if name == "Taken":
            raise ValueError("This name is taken.")
        return name


def make_pages(folder: Path) -> Pages:
    """Return the pages of an app with one template and one static file."""
    (folder / "templates" / "notes").mkdir(parents=True)
    (folder / "templates" / "notes" / "page.html").write_text(PAGE)
    (folder / "static").mkdir()
    (folder / "static" / "notes.css").write_text("h1 { color: black }\n" * 100)
    return Pages(
        "notes",
        folder,
        secret=SECRET,
        product=Product("Notes", "/notes"),
        sign_in="/sign-in",
        context=lambda request: {"nav": [Link("All", "/notes")], "search_url": "/notes/search"},
        generated_files={"made.css": ".made {}"},
    )


def make_site(pages: Pages) -> FastAPI:
    """Return the app that serves the pages."""
    router = APIRouter()

    @router.get("/notes")
    def show(request: Request, heading: str = "Notes") -> Response:
        return pages.render(request, "notes/page.html", heading=heading, form=Form())

    @router.post("/notes")
    def send(request: Request, form: PostedForm) -> Response:
        match form.validate(Terms):
            case Form() as refused:
                return pages.render(request, "notes/page.html", 422, heading="Notes", form=refused)
            case terms:
                return pages.redirect(request, "/notes", terms.model_dump_json())

    @router.post("/notes/gone")
    def gone(request: Request) -> Response:
        return pages.redirect(request, "/notes", Flash(HOSTILE, "warning"))

    @router.get("/broken/{status}")
    def broken(status: int) -> Response:
        raise PROBLEMS.get(status) or ArithmeticError

    app = make_app(
        "Notes",
        "1",
        routers=[],
        prefix="/api",
        settings=Settings(secure_cookies=False, uploads={"/notes": 1 << 20}),
    )
    app.include_router(router)
    pages.mount(app)
    return app


def browser_at(app: FastAPI) -> TestClient:
    """Return a browser without scripts."""
    return TestClient(app, headers=BROWSER, follow_redirects=False, raise_server_exceptions=False)
