"""The app of a service: its routers, behind all conventions in the right order."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import Lifespan

from singletable_apps.shared.web.api_docs import STYLE, docs_page, problem_pages
from singletable_apps.shared.web.bodies import Bodies
from singletable_apps.shared.web.clients import RateLimits
from singletable_apps.shared.web.error_handlers import ErrorProblems, add_handlers
from singletable_apps.shared.web.middleware import (
    JSON_POLICY,
    AccessLog,
    CrossOriginProtection,
    Methods,
    RequestIds,
    SecurityHeaders,
    Segments,
)
from singletable_apps.shared.web.openapi import describe, responses
from singletable_apps.shared.web.problems import COMMON, ProblemType
from singletable_apps.shared.web.settings import Settings, Site

_STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_DOCS_POLICY = f"{JSON_POLICY}; style-src 'sha256-{_STYLE_HASH}'"


def make_app(
    title: str,
    version: str,
    *,
    routers: Sequence[APIRouter],
    pages: Sequence[APIRouter] = (),
    prefix: str = "",
    description: str = "",
    problem_types: Sequence[ProblemType] = (),
    errors: ErrorProblems = MappingProxyType({}),
    settings: Settings | None = None,
    lifespan: Lifespan[FastAPI] | None = None,
) -> FastAPI:
    """The app: `routers` under the prefix and described, `pages` for people beside it.

    `problem_types` are the app's own; `errors` says which problem an exception of the app is.
    Under the prefix are also `/openapi.json`, `/docs` and `/problems/{type}`.
    """
    site = Site(prefix, settings or Settings())
    app = FastAPI(
        title=title,
        version=version,
        description=description,
        openapi_url=None,
        redirect_slashes=False,
        middleware=_middleware(site.settings),
        lifespan=lifespan,
    )
    app.state.site = site
    add_handlers(app, errors)
    for router in routers:
        app.include_router(router, prefix=prefix)
    for router in pages:
        app.include_router(router, include_in_schema=False)
    app.include_router(problem_pages(_distinct((*COMMON, *problem_types)), prefix), prefix=prefix)
    app.include_router(_descriptions(lambda: app.openapi(), prefix), prefix=prefix)
    _describe_once(app, site)
    return app


def api_router(tag: str, *problem_types: ProblemType) -> APIRouter:
    """Return a router for one topic whose operations may all answer these problems."""
    return APIRouter(
        tags=[tag],
        responses=responses(*problem_types),
        generate_unique_id_function=lambda route: route.name,
    )


def _middleware(settings: Settings) -> list[Middleware]:
    """The outermost first: what is refused further out costs less, and has the same headers."""
    return [
        Middleware(RequestIds),
        Middleware(SecurityHeaders, page_policies=settings.page_policies),
        Middleware(AccessLog),
        *([Middleware(RateLimits, limit=settings.limit)] if settings.limit else []),
        Middleware(Segments),
        Middleware(Methods),
        Middleware(CrossOriginProtection, trusted_origins=settings.trusted_origins),
        Middleware(Bodies, limit=settings.body_limit, uploads=settings.uploads),
    ]


def _distinct(kinds: Sequence[ProblemType]) -> Sequence[ProblemType]:
    names = [kind.name for kind in kinds]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Expected each kind of problem once, but {name} is there twice.")
    return kinds


def _describe_once(app: FastAPI, site: Site) -> None:
    made: list[dict[str, Any]] = []

    def openapi() -> dict[str, Any]:
        if not made:
            made.append(describe(app, site))
        return made[0]

    app.openapi = openapi  # type: ignore[method-assign]


def _descriptions(openapi: Callable[[], dict[str, Any]], prefix: str) -> APIRouter:
    """The description for programs and for people."""
    router = APIRouter(include_in_schema=False)

    @router.get("/openapi.json")
    def as_json() -> Response:
        return JSONResponse(openapi(), headers={"Cache-Control": "no-cache"})

    @router.get("/docs")
    def as_page() -> Response:
        page = docs_page(openapi(), f"{prefix}/openapi.json")
        return HTMLResponse(page, headers={"Content-Security-Policy": _DOCS_POLICY})

    return router
