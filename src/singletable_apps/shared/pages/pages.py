"""The one door to pages: templates, static files, toasts and problems of an app."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from singletable_apps.shared.pages.flash import Flash, FlashMessages
from singletable_apps.shared.pages.forms import Form
from singletable_apps.shared.pages.static_files import Assets, whole_site
from singletable_apps.shared.pages.templates_environment import make_environment
from singletable_apps.shared.pages.times import request_time_zone
from singletable_apps.shared.pages.urls import path_of, sign_in_address
from singletable_apps.shared.web import Problem, ProblemType

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)


class ProblemPage(Protocol):
    """Makes the page about a problem."""

    def __call__(self, request: Request, problem: Problem) -> Response | None:
        """The answer for a browser."""
        ...


HERE = Path(__file__).parent
_WORTH_PACKING = 1000


@dataclass(frozen=True, slots=True)
class Link:
    """A way to somewhere else; `here` is where the reader is already."""

    text: str
    url: str
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Product:
    """What the pages belong to: its name, where it begins, and one sentence about it."""

    name: str
    home: str
    about: str = ""


def _nothing(request: Request) -> Mapping[str, object]:
    return {}


class Pages:
    """Makes the pages of one app, and serves what they load.

    `folder` has `templates/` and `static/`; a file of the latter is `asset("NAME/file.css")`.
    `generated_files` are further files by name, `templates` further folders. `sign_in` is where
    people go who are not signed in. `problem_pages` has a page for some problems; it may return
    None for the usual one. What `context(request)` gives goes to every page, also to one about a
    problem: `nav` and `links` (of the footer) as lists of Link, `account` (the name of who is
    signed in), `account_links`. It reads `request.state`, and asks no database. Addresses under
    `prefix` are this app's.
    """

    def __init__(
        self,
        name: str,
        folder: Path | None = None,
        *,
        secret: bytes,
        product: Product | None = None,
        prefix: str = "",
        sign_in: str | None = None,
        context: Callable[[Request], Mapping[str, object]] = _nothing,
        generated_files: Mapping[str, str] | None = None,
        templates: Sequence[Path] = (),
        problem_pages: Mapping[ProblemType, ProblemPage] = MappingProxyType({}),
    ) -> None:
        self.prefix = prefix
        self.sign_in = sign_in
        self._context = context
        self._flash_messages = FlashMessages(secret)
        self._problem_pages = problem_pages
        self._assets = {
            "shared": Assets("shared", HERE / "static", whole_site()),
            name: Assets(name, folder / "static" if folder else None, generated_files),
        }
        self._environment = make_environment(
            [*templates, *([folder / "templates"] if folder else [])],
            {
                "asset": self.asset,
                "product": product or Product(name.capitalize(), prefix or "/"),
            },
        )
        self.router = APIRouter()
        for assets in self._assets.values():
            assets.add_route(self.router)

    def mount(self, app: FastAPI) -> None:
        """Serve the static files in the app, and show browsers its problems as pages."""
        app.include_router(self.router, include_in_schema=False)
        shown: dict[str, ProblemPage] = getattr(app.state, "problem_pages", {})
        app.state.problem_pages = {**shown, self.prefix: self.render_problem}

    def asset(self, path: str) -> str:
        """The address of a static file: `shared/css/base.css`, or of the app, `NAME/…`."""
        name, _, rest = path.partition("/")
        if name not in self._assets:
            raise LookupError(f"Expected shared/… or one's own name first, but got {path}.")
        return self._assets[name].address(rest)

    def render(
        self, request: Request, template: str, status: int = 200, /, **context: object
    ) -> HTMLResponse:
        """The page, with what the template asks for."""
        flash = self._flash_messages.take(request)
        zone = request_time_zone(request)
        shown = {
            name: value.shown_in(zone) if isinstance(value, Form) else value
            for name, value in context.items()
        }
        text = self._environment.get_template(template).render(
            {**self._common(request), "flash": flash, **shown}
        )
        return _packed(request, text, status)

    def redirect(self, request: Request, url: str, flash: str | Flash = "") -> Response:
        """Redirect to another page after an action; that page shows the flash message."""
        if flash:
            message = Flash(flash) if isinstance(flash, str) else flash
            self._flash_messages.add(request, message)
        return RedirectResponse(url, 303)

    def render_problem(self, request: Request, problem: Problem) -> Response:
        """Return the page about a problem. Whoever is not signed in is redirected to sign in."""
        special = self._problem_pages.get(problem.type)
        if special is not None and (page := special(request, problem)) is not None:
            return page
        if problem.status == 401 and self.sign_in is not None:
            to = sign_in_address(request, self.sign_in)
            if "hx-request" in request.headers:
                # htmx follows a redirect by itself, and would put a whole page into a part of one.
                return Response(headers={"HX-Redirect": to, "Cache-Control": "no-store"})
            return self.redirect(request, to)
        number = str(getattr(request.state, "request_id", ""))
        page = self.render(request, "problem.html", problem.status, problem=problem, number=number)
        page.headers.update({**problem.headers, "Cache-Control": "no-store"})
        return page

    def _common(self, request: Request) -> dict[str, object]:
        theme = request.cookies.get("theme", "")
        return {
            "nav": [],
            "links": [],
            "account": None,
            "account_links": [],
            **self._context(request),
            "here": path_of(request),
            "zone": request_time_zone(request),
            "theme": theme if theme in ("light", "dark") else "",
        }


def _packed(request: Request, text: str, status: int) -> HTMLResponse:
    """The answer, packed: a page has no secrets whose length could be guessed at (no tokens)."""
    headers = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "private, no-cache",
        "Vary": "Accept-Encoding, Cookie, HX-Request",
    }
    content = text.encode()
    if len(content) > _WORTH_PACKING and "gzip" in request.headers.get("accept-encoding", ""):
        content = gzip.compress(content, 5)
        headers["Content-Encoding"] = "gzip"
    return HTMLResponse(content, status, headers)
