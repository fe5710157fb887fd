"""The home page: what singletable is, an example that really ran, the apps, and the guide."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from singletable_apps.home.example import run_example
from singletable_apps.home.guide import Guide
from singletable_apps.shared.apps import RunningApp
from singletable_apps.shared.markdown import highlight_code
from singletable_apps.shared.pages import Pages

INSTALL = "pip install singletable"


def home_router(pages: Pages, apps: Sequence[RunningApp], guide: Guide) -> APIRouter:
    """Return the route of the home page."""
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
            install=INSTALL,
            example=example,
            code=code,
            groups=guide.groups,
        )

    return router
