"""A page about each kind of problem, at the address that is its type."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import JSONResponse, PlainTextResponse, Response

from singletable_apps.shared.web.kinds import NOT_FOUND, Kind
from singletable_apps.shared.web.problems import Problem, type_of


class KindDocument(BaseModel):
    """A kind of problem, and what to do about it."""

    type: str
    status: int
    title: str
    about: str


def problem_pages(kinds: Sequence[Kind], prefix: str) -> APIRouter:
    """Routes that tell about these kinds, as JSON or, to who prefers it, as text."""
    router = APIRouter(include_in_schema=False)
    documents = {
        kind.name: KindDocument(
            type=type_of(kind, prefix), status=kind.status, title=kind.title, about=kind.about
        )
        for kind in kinds
    }

    @router.get("/problems")
    def every_kind() -> list[KindDocument]:
        return list(documents.values())

    @router.get("/problems/{name}")
    def one_kind(name: str, request: Request) -> Response:
        if name not in documents:
            raise Problem(NOT_FOUND, "There is no such kind of problem.")
        document = documents[name]
        accepted = request.headers.get("accept", "")
        if "text/" in accepted and "json" not in accepted:
            about = f"{document.title} ({document.status})\n\n{document.about}\n"
            return PlainTextResponse(about)
        return JSONResponse(document.model_dump())

    return router
