"""The home page of the whole project."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request, Response

from singletable_apps.front.code_sample import PRINTED, SAMPLE, STORED, coloured
from singletable_apps.front.opening import Served
from singletable_apps.shared.pages import Pages


def home_router(pages: Pages, apps: Sequence[Served]) -> APIRouter:
    """`/`."""
    router = APIRouter()

    @router.get("/")
    def home(request: Request) -> Response:
        samples = [app.opened.sample() for app in apps]
        return pages.page(
            request,
            "front/home.html",
            apps=[app.door for app in apps],
            samples=[sample for sample in samples if sample is not None],
            code=coloured(SAMPLE),
            printed=PRINTED,
            stored=STORED,
        )

    return router
