"""The description of an app as a page to read, with no script in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, cast

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import JSONResponse, PlainTextResponse, Response

from singletable_apps.shared.web.problems import NOT_FOUND, Problem, ProblemType, problem_type_url

STYLE = (
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "code{font-size:.95em}dt{margin-top:.8rem}dd{margin:0 0 .4rem 1.5rem}"
)


def docs_page(document: dict[str, Any], address: str) -> str:
    """A page that lists all operations of an OpenAPI document, which is at the address."""
    info = document["info"]
    title = escape(f"{info['title']} {info['version']}")
    operations = "\n".join(_operations(document.get("paths", {})))
    return (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{STYLE}</style>\n'
        f"<h1>{title}</h1>\n<p>{escape(info.get('description', ''))}</p>\n"
        f'<p>As <a href="{escape(address)}">OpenAPI</a>, for programs.</p>\n'
        f"<dl>\n{operations}\n</dl>\n</html>\n"
    )


def _operations(paths: dict[str, Any]) -> Iterator[str]:
    for path, operations in paths.items():
        for method, operation in cast(dict[str, Any], operations).items():
            about = operation.get("description") or operation.get("summary", "")
            statuses = ", ".join(sorted(operation["responses"]))
            yield (
                f"<dt><code>{method.upper()} {escape(path)}</code></dt>"
                f"<dd>{escape(about)}<br>Answers: {statuses}</dd>"
            )


class KindDocument(BaseModel):
    """A kind of problem, and what to do about it."""

    type: str
    status: int
    title: str
    about: str


def problem_pages(kinds: Sequence[ProblemType], prefix: str) -> APIRouter:
    """Routes that tell about these kinds, as JSON or, to who prefers it, as text."""
    router = APIRouter(include_in_schema=False)
    documents = {
        kind.name: KindDocument(
            type=problem_type_url(kind, prefix),
            status=kind.status,
            title=kind.title,
            about=kind.about,
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
