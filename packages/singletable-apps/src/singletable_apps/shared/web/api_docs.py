"""The OpenAPI document and the problem types of an app, for programs.

`Pages.mount` adds the same as pages for people.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import JSONResponse, Response

from singletable_apps.shared.web.problems import NOT_FOUND, Problem, ProblemType, problem_type_url


def problem_types_of(app: FastAPI) -> Sequence[ProblemType]:
    """Return all problem types of an app made by `make_app`."""
    types: Sequence[ProblemType] = app.state.problem_types
    return types


def docs_router(
    openapi: Callable[[], dict[str, Any]], types: Sequence[ProblemType], prefix: str
) -> APIRouter:
    """Return routes for `/openapi.json`, `/problems` and `/problems/{name}`."""
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
