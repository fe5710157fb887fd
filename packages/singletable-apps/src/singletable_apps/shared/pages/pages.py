"""Render the pages of an app: templates, static files, flash messages and error pages."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import TypeAlias, TypeVar
from zoneinfo import ZoneInfo

from fastapi import APIRouter, FastAPI, Request
from jinja2 import Environment, Template
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from singletable_apps.shared.languages import ENGLISH, Language
from singletable_apps.shared.pages.api_docs import add_api_docs
from singletable_apps.shared.pages.flash import Flash, FlashMessages
from singletable_apps.shared.pages.forms import Form
from singletable_apps.shared.pages.static_files import StaticFiles, site_files
from singletable_apps.shared.pages.templating import make_environment
from singletable_apps.shared.pages.times import UTC, request_time_zone
from singletable_apps.shared.pages.urls import path_of, sign_in_url
from singletable_apps.shared.sealed import Sealer
from singletable_apps.shared.web import SHARED_FIVE_MINUTES, Problem, public_response

SIGNED_OUT = "You were signed out, so nothing was saved. Sign in to go on."
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)
# Renders the page for a problem, or returns None for the usual one.
ProblemPage: TypeAlias = Callable[[Request, Problem], Response | None]
_FOLDER = Path(__file__).parent
_FIRST_CHUNK = 1000

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a navigation list. `is_current` marks the page or section being shown."""

    text: str
    url: str
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Product:
    """The name, home URL and one-sentence description of an app."""

    name: str
    home: str
    about: str = ""


class Pages:
    """Renders the pages of one app and serves their static files.

    `folder` contains `templates/` and `static/`; templates link static files with
    `asset("NAME/file.css")`. `generated_files` are further static files by name, and `templates`
    further template folders. `prefix` is the URL prefix of the pages. People who are not signed in
    are redirected to `sign_in`; `sign-out` is beside it. `problem_page` returns another error page
    than the usual one, or None.

    `context(request)` returns variables for every page, including error pages: `nav` and `links`
    (footer) are lists of Link, `account` is the name of the signed-in person, `account_links` their
    menu, and `search_url` the page that a 404 offers. It and `language(request)` should read
    `request.state` and not the database.
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
        context: Callable[[Request], Mapping[str, object]] = lambda _: {},
        language: Callable[[Request], Language] = lambda _: ENGLISH,
        generated_files: Mapping[str, str] | None = None,
        templates: Sequence[Path] = (),
        problem_page: ProblemPage = lambda request, problem: None,
    ) -> None:
        self.name = name
        self.prefix = prefix
        self.sign_in = sign_in
        self.language = language
        self._context = context
        self._secret = secret
        self._flash_messages = FlashMessages(secret)
        self._problem_page = problem_page
        self._static_files = {
            "shared": StaticFiles("shared", _FOLDER / "static", site_files()),
            name: StaticFiles(name, folder / "static" if folder else None, generated_files),
        }
        self._environments: dict[str, Environment] = {}
        self._found: dict[tuple[str, ...], str] = {}
        self._folders = [*templates, *([folder / "templates"] if folder else [])]
        self._variables = {
            "app": name,
            "asset": self.asset,
            "has_styles": f"{name}.css" in self._static_files[name].files,
            "Link": Link,
            "product": product or Product(name.capitalize(), prefix or "/"),
            "provider": None,
            "version": version("singletable"),
            "sign_out": f"{sign_in.rpartition('/')[0]}/sign-out" if sign_in else "",
        }
        self.router = APIRouter()
        for files in self._static_files.values():
            files.add_route(self.router)

    def mount(self, app: FastAPI) -> None:
        """Add static files, API docs and error pages to the app."""
        app.include_router(self.router, include_in_schema=False)
        if hasattr(app.state, "problem_types") and not hasattr(app.state, "problem_type_page"):
            add_api_docs(app, self.render)
        problem_pages: dict[str, ProblemPage] = getattr(app.state, "problem_pages", {})
        app.state.problem_pages = {**problem_pages, self.prefix: self.render_problem}

    def asset(self, path: str) -> str:
        """Return the URL of a static file: `shared/site.css` or `NAME/file.css`."""
        name, _, rest = path.partition("/")
        if name not in self._static_files:
            raise LookupError(f"Expected shared/… or {self._names()}/…, but got {path}.")
        return self._static_files[name].url(rest)

    def render(
        self, request: Request, template: str, status: int = 200, /, **context: object
    ) -> HTMLResponse:
        """Render a template. Forms in the context show times in the reader's time zone."""
        text = self._template(request, template).render(self._values(request, context))
        chunks, headers = _encode(request, [text])
        return HTMLResponse(b"".join(chunks), status, headers)

    def stream(self, request: Request, template: str, /, **context: object) -> Response:
        """Render a template while it is sent, for a page with a slow end.

        The browser loads styles and shows the beginning meanwhile. An error in the beginning has
        its own page; a later one breaks the response off.
        """
        parts = self._template(request, template).generate(self._values(request, context))
        chunks, headers = _encode(request, parts)
        return StreamingResponse(chain([next(chunks)], chunks), 200, headers, "text/html")

    def render_public(
        self,
        request: Request,
        template: str,
        status: int = 200,
        /,
        *,
        zone: ZoneInfo = UTC,
        last_modified: datetime | None = None,
        caching: Mapping[str, str] = SHARED_FIVE_MINUTES,
        policy: str = POLICY,
        **context: object,
    ) -> Response:
        """Render a page that a CDN can cache: it depends on the URL and on data, not on cookies.

        Times are in `zone`. There is no flash message, no theme of the reader and nothing from
        `context(request)`, which may show who is signed in. See `public_response` for the headers.
        """
        return public_response(
            request,
            self._template(request, template).render(
                {**_public_context(request), "zone": zone, **context}
            ),
            "text/html",
            status,
            last_modified=last_modified,
            caching=caching,
            headers={"Content-Security-Policy": policy},
        )

    def _values(self, request: Request, context: Mapping[str, object]) -> dict[str, object]:
        flash = self._flash_messages.take(request)
        zone = request_time_zone(request)
        shown = {
            name: value.shown_in(zone) if isinstance(value, Form) else value
            for name, value in context.items()
        }
        return {**self._common(request), "flash": flash, **shown}

    def _template(self, request: Request, name: str) -> Template:
        return self._environment(request).get_template(name)

    def _environment(self, request: Request) -> Environment:
        language = self.language(request)
        if language.code not in self._environments:
            environment = make_environment(self._folders, self._variables, language)
            self._environments[language.code] = environment
        return self._environments[language.code]

    def find_template(self, request: Request, *names: str) -> str:
        """Return the name of the first template that exists."""
        if names not in self._found:
            found = self._environment(request).select_template(names).name
            assert found is not None
            self._found[names] = found
        return self._found[names]

    def sealer(self, schema: type[T], purpose: str) -> Sealer[T]:
        """Return a sealer for what browsers keep for this app."""
        return Sealer(self._secret, schema, purpose)

    def redirect(self, request: Request, url: str, flash: str | Flash = "") -> Response:
        """Redirect to another page after an action; that page shows the flash message."""
        if flash:
            message = Flash(flash) if isinstance(flash, str) else flash
            text = self.language(request).gettext(message.text)
            self._flash_messages.add(request, replace(message, text=text))
        return RedirectResponse(url, 303)

    def render_problem(self, request: Request, problem: Problem) -> Response:
        """Render an error page. Redirect to the sign-in page if signing in would help."""
        special = self._problem_page(request, problem)
        if special is not None:
            return special
        if problem.status == 401 and self.sign_in is not None:
            url = sign_in_url(request, self.sign_in)
            if "hx-request" in request.headers:
                # htmx would follow a redirect and put a whole page into a part of one.
                return Response(headers={"HX-Redirect": url, "Cache-Control": "no-store"})
            # A form was submitted after the session ended.
            flash = Flash(SIGNED_OUT, "warning") if request.method == "POST" else ""
            return self.redirect(request, url, flash)
        page = self.render(
            request,
            "problem.html",
            problem.status,
            problem=problem,
            request_id=str(getattr(request.state, "request_id", "")),
        )
        page.headers.update({**problem.headers, "Cache-Control": "no-store"})
        return page

    def _common(self, request: Request) -> dict[str, object]:
        theme = request.cookies.get("theme", "")
        return {
            **_public_context(request),
            "zone": request_time_zone(request),
            **self._context(request),
            "theme": theme if theme in ("light", "dark") else "",
        }

    def _names(self) -> str:
        return "/… or ".join(name for name in self._static_files if name != "shared")


def _public_context(request: Request) -> dict[str, object]:
    """Return the variables of every page that are the same for all readers."""
    return {
        "nav": [],
        "links": [],
        "account": None,
        "account_links": [],
        "search_url": "",
        # Absent when an app is served on its own.
        "app_links": getattr(request.state, "apps", ()),
        "here": path_of(request),
        "theme": "",
        "flash": None,
    }


def _encode(request: Request, parts: Iterable[str]) -> tuple[Iterator[bytes], dict[str, str]]:
    """Return a page in chunks, compressed if the browser accepts it, and its headers."""
    headers = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "private, no-cache",
        "Vary": "Accept-Encoding, Cookie, HX-Request",
    }
    # Compression is safe here: pages contain no CSRF tokens that BREACH could guess.
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return _join(parts), headers
    return _compress(_join(parts)), {**headers, "Content-Encoding": "gzip"}


def _join(parts: Iterable[str]) -> Iterator[bytes]:
    """Join parts to chunks, small ones first: sending a chunk takes a change of threads."""
    texts, size, wanted = list[str](), 0, _FIRST_CHUNK
    for part in parts:
        texts.append(part)
        size += len(part)
        if size >= wanted:
            yield "".join(texts).encode()
            texts, size, wanted = [], 0, wanted * 2
    yield "".join(texts).encode()


def _compress(chunks: Iterable[bytes]) -> Iterator[bytes]:
    gzip = zlib.compressobj(5, wbits=zlib.MAX_WBITS + 16)
    for chunk in chunks:
        yield gzip.compress(chunk) + gzip.flush(zlib.Z_SYNC_FLUSH)
    yield gzip.flush()
