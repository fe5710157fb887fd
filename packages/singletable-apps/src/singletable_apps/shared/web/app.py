"""Make the app of a service: its routers behind all middleware in the right order."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cache
from types import MappingProxyType
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route, WebSocketRoute, compile_path
from starlette.types import Scope

from singletable_apps.shared.web import middleware
from singletable_apps.shared.web.bodies import Bodies
from singletable_apps.shared.web.error_handlers import ErrorProblems, add_handlers
from singletable_apps.shared.web.openapi import build_openapi, responses
from singletable_apps.shared.web.problems import (
    COMMON,
    NOT_FOUND,
    Problem,
    ProblemType,
    problem_type_url,
)
from singletable_apps.shared.web.settings import Settings, Site
from singletable_apps.shared.web.threads import ThreadRoute


def make_app(
    title: str,
    version: str,
    *,
    routers: Sequence[APIRouter],
    prefix: str = "",
    description: str = "",
    problem_types: Sequence[ProblemType] = (),
    errors: ErrorProblems = MappingProxyType({}),
    settings: Settings | None = None,
) -> FastAPI:
    """Return an app with `routers` as its API under `prefix`; add pages with `add_routes`.

    `problem_types` are the app's own; one with the name of a common type replaces it in the API.
    `errors` maps its exceptions to problems.
    The API also has `/openapi.json` and `/problems/{type}`, and `/docs` if the app has pages.
    """
    site = Site(prefix, settings or Settings())
    app = FastAPI(
        title=title,
        version=version,
        description=description,
        openapi_url=None,
        redirect_slashes=False,
        middleware=_middleware(site.settings),
    )
    app.state.site = site
    add_handlers(app, errors)
    for router in routers:
        add_routes(app, router, prefix)
    types = app.state.problem_types = _merge(COMMON, problem_types)
    app.openapi = cache(lambda: build_openapi(app, site, types))  # type: ignore[method-assign]
    app.include_router(_docs_router(app.openapi, types.values(), prefix), prefix=prefix)
    return app


def add_routes(
    app: FastAPI, router: APIRouter, prefix: str, *, include_in_schema: bool = True
) -> None:
    """Include a router in an app, so that requests for other paths pass it by quickly."""
    quick = _QuickRouter(router, prefix)
    # In this order, FastAPI prepares the routes of a router at the first request for one of them.
    app.include_router(quick, include_in_schema=include_in_schema)
    quick.include_router(router, prefix=prefix)
    app.state.quick_routers = [*getattr(app.state, "quick_routers", ()), quick]


class _QuickRouter(APIRouter):
    """Compares a request with the paths of all routes at once, before FastAPI asks each route."""

    def __init__(self, router: APIRouter, prefix: str) -> None:
        super().__init__()
        self._all = list(_routes(router, prefix))
        self._paths = _match_any(path for path, _ in self._all)
        self._paths_by_method: dict[str, re.Pattern[str]] = {}

    def accepts(self, method: str, path: str) -> bool:
        """Return whether a route has this method and path."""
        paths = self._paths_by_method.get(method)
        if paths is None:
            accepted = [each for each, methods in self._all if method in methods]
            if not accepted:  # clients invent methods: remember only those of routes
                return False
            paths = self._paths_by_method[method] = _match_any(accepted)
        return paths.match(path) is not None

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return the match of a route, or none if no route has this path."""
        if self._paths.match(scope["path"]) is None:
            return Match.NONE, {}
        return super().matches(scope)


def _routes(router: APIRouter, prefix: str) -> Iterator[tuple[str, Set[str]]]:
    """Yield the paths and methods of the routes of a router and the routers that it includes."""
    for route in router.routes:
        if isinstance(route, Route | WebSocketRoute):
            yield prefix + route.path, getattr(route, "methods", None) or set()
        else:
            included: Any = route
            yield from _routes(included.original_router, prefix + included.include_context.prefix)


def _match_any(paths: Iterable[str]) -> re.Pattern[str]:
    patterns = [compile_path(path)[0].pattern for path in paths]
    # Several paths have groups of the same name, and one expression cannot.
    return re.compile("|".join(re.sub(r"\?P<\w+>", "?:", each) for each in patterns) or "(?!)")


def api_router(tag: str, *problem_types: ProblemType) -> APIRouter:
    """Return a router for one topic; all its operations may respond with these problems."""
    return APIRouter(
        route_class=ThreadRoute,
        tags=[tag],
        responses=responses(*problem_types),
        generate_unique_id_function=lambda route: route.name,
    )


def _middleware(settings: Settings) -> list[Middleware]:
    """Return the middleware, outermost first: requests rejected early cost less."""
    return [
        Middleware(middleware.RequestIds),
        Middleware(middleware.SecurityHeaders, public_url=settings.public_url),
        Middleware(middleware.AccessLog),
        Middleware(middleware.Heads, public_url=settings.public_url, proxies=settings.proxies),
        Middleware(middleware.Segments),
        Middleware(middleware.Methods),
        Middleware(middleware.CrossOriginProtection, trusted_origins=settings.trusted_origins),
        Middleware(Bodies, limit=settings.body_limit, uploads=settings.uploads),
    ]


def _merge(common: Sequence[ProblemType], own: Sequence[ProblemType]) -> dict[str, ProblemType]:
    """Return all problem types by name; the app's own replace common ones."""
    names = [each.name for each in own]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"Expected unique problem types, but {name} is there twice.")
    return {each.name: each for each in (*common, *own)}


# ------------------------------------------------------------------------------ documents


def _docs_router(
    openapi: Callable[[], dict[str, Any]], types: Iterable[ProblemType], prefix: str
) -> APIRouter:
    """Return routes for `/openapi.json`, `/problems` and `/problems/{name}`, for programs.

    `Pages.mount` adds the same as pages for people.
    """
    router = APIRouter(include_in_schema=False)
    documents = {
        each.name: {
            "type": problem_type_url(each, prefix),
            "status": each.status,
            "title": each.title,
            "about": each.about,
        }
        for each in types
    }

    @router.get("/openapi.json")
    def get_openapi() -> Response:
        return JSONResponse(openapi(), headers={"Cache-Control": "no-cache"})

    @router.get("/problems")
    def list_problem_types(request: Request) -> Response:
        page = _page(request, None)
        return page or JSONResponse([*documents.values()])

    @router.get("/problems/{name}")
    def get_problem_type(name: str, request: Request) -> Response:
        if name not in documents:
            raise Problem(NOT_FOUND, "There is no problem type of this name.")
        if page := _page(request, name):
            return page
        return JSONResponse(documents[name])

    return router


def _page(request: Request, name: str | None) -> Response | None:
    """Return a page for a browser, if the app has pages."""
    render: Callable[[Request, str | None], Response] | None
    render = getattr(request.app.state, "problem_type_page", None)
    if render is None or "text/html" not in request.headers.get("accept", ""):
        return None
    page: Response = render(request, name)
    return page
