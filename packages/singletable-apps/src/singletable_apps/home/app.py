"""The whole site as one ASGI app: the home page, the guide, and every app under its prefixes."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from singletable_apps.home.example import run_example
from singletable_apps.home.guide import GUIDE_URL, REFERENCE_URL, Guide, docs_folder, guide_router
from singletable_apps.home.search import SEARCH_URL, search_router
from singletable_apps.shared.apps import RunningApp
from singletable_apps.shared.markdown import highlight_code
from singletable_apps.shared.pages import Link, Pages, Product
from singletable_apps.shared.web import Settings, make_app


class PrefixDispatcher:
    """An ASGI app that passes each request, unchanged, to an app by the prefix of its path.

    A prefix is a sequence of whole segments, in which `*` matches any one segment. If several
    prefixes match, the one with the most segments wins. Everything else goes to `fallback`.
    """

    def __init__(self, apps: Mapping[str, ASGIApp], fallback: ASGIApp) -> None:
        for prefix in apps:
            if not prefix.startswith("/") or not all(prefix[1:].split("/")):
                raise ValueError(
                    f"Expected a prefix such as /polls or /api/polls, but got '{prefix}'."
                )
        longest_first = sorted(apps, key=lambda prefix: prefix.count("/"), reverse=True)
        self._apps = [(prefix[1:].split("/"), apps[prefix]) for prefix in longest_first]
        self._fallback = fallback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        await self._app_for(scope)(scope, receive, send)

    def _app_for(self, scope: Scope) -> ASGIApp:
        if "path" in scope:
            segments = _path_segments(scope)
            for prefix, app in self._apps:
                if _starts_with(segments, prefix):
                    return app
        return self._fallback


def _path_segments(scope: Scope) -> list[str]:
    """Return the segments as the apps read them: an encoded slash (%2F) does not end one."""
    raw: bytes | None = scope.get("raw_path")
    if raw is None:
        path: str = scope["path"]
        return path.split("/")[1:]
    # The app itself responds to a path that is not UTF-8.
    return [unquote(part.decode("latin-1"), errors="replace") for part in raw.split(b"/")[1:]]


def _starts_with(segments: list[str], prefix: list[str]) -> bool:
    return len(segments) >= len(prefix) and all(
        expected in ("*", segment) for expected, segment in zip(prefix, segments, strict=False)
    )


def add_app_links(app: ASGIApp, links: tuple[Link, ...]) -> ASGIApp:
    """Wrap `app` so that its requests have the links of the app switcher in `request.state.apps`.

    An app that is served on its own has no such attribute.
    """

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        state = {**scope.get("state", {}), "apps": links}
        await app({**scope, "state": state}, receive, send)

    return wrapped


PRODUCT = Product("singletable", "/", "DynamoDB single-table design in typed Python.")


def make_site_app(apps: Sequence[RunningApp], *, settings: Settings | None = None) -> ASGIApp:
    """Return the site with these apps."""
    api_docs = " ".join(f"{app.info.name}: {app.api}/docs." for app in apps)
    home = make_app(
        "singletable",
        version("singletable"),
        routers=[],
        prefix="/api",
        description=f"Every application has its own API and its own documentation. {api_docs}",
        settings=settings,
    )
    _add_home(home, apps)
    return PrefixDispatcher(_by_prefix(apps), add_app_links(home, _app_links(apps)))


def _app_links(apps: Sequence[RunningApp], current: RunningApp | None = None) -> tuple[Link, ...]:
    return tuple(Link(app.info.name, app.info.url, is_current=app is current) for app in apps)


def _by_prefix(apps: Sequence[RunningApp]) -> dict[str, ASGIApp]:
    owners: dict[str, RunningApp] = {}
    for app in apps:
        for prefix in app.prefixes:
            owner = owners.setdefault(prefix, app)
            if owner is not app:
                names = f"{owner.info.name} and {app.info.name}"
                raise ValueError(f"Expected each prefix in one app, but {names} have {prefix}.")
    return {prefix: add_app_links(app.app, _app_links(apps, app)) for prefix, app in owners.items()}


def _add_home(home: FastAPI, apps: Sequence[RunningApp]) -> None:
    styles = dict.fromkeys(app.info.picture_style for app in apps)
    pages = Pages(
        "home",
        Path(__file__).parent,
        # The only values signed with it are flash messages, so it need not survive a restart.
        secret=secrets.token_bytes(32),
        product=PRODUCT,
        context=partial(_page_context, apps),
        generated_files={"pictures.css": "\n".join(styles)},
    )
    guide = Guide(docs_folder())
    home.include_router(_home_router(pages, apps, guide), include_in_schema=False)
    home.include_router(search_router(pages, guide), include_in_schema=False)
    home.include_router(guide_router(pages, guide), include_in_schema=False)
    pages.mount(home)


def _page_context(apps: Sequence[RunningApp], request: Request) -> dict[str, object]:
    path = request.url.path
    is_reference = path.startswith(REFERENCE_URL)
    is_guide = path.startswith(GUIDE_URL) and not is_reference and path != SEARCH_URL
    apis = [Link(f"{app.info.name} API", f"{app.api}/docs") for app in apps]
    return {
        "nav": [
            Link("Guide", GUIDE_URL, is_current=is_guide),
            Link("Reference", REFERENCE_URL, is_current=is_reference),
            Link("Apps", "/#apps"),
            Link("Search", SEARCH_URL),
        ],
        "links": apis,
        "search_url": SEARCH_URL,
    }


def _home_router(pages: Pages, apps: Sequence[RunningApp], guide: Guide) -> APIRouter:
    """Return the route of the home page: an example that really ran, the apps, and the guide."""
    router = APIRouter()
    example = run_example()
    code = {
        "declaration": highlight_code(example.declaration, "python"),
        "writes": highlight_code(example.writes, "python"),
        "query": highlight_code(example.query, "python"),
    }

    @router.get("/favicon.ico")
    def show_icon() -> Response:
        return RedirectResponse(pages.asset("shared/mark.svg"), 307)

    @router.get("/")
    def show_home(request: Request) -> Response:
        return pages.render(
            request,
            "home/home.html",
            apps=[app.info for app in apps],
            samples={app.info.name: app.sample() for app in apps},
            example=example,
            code=code,
            groups=guide.groups,
        )

    return router
