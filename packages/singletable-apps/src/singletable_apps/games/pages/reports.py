"""The report of a game: on screen, on paper, and as files."""

from __future__ import annotations

import json
from typing import Literal

from fastapi import APIRouter, Response

from singletable_apps.games.errors import Busy, InvalidInput, NotFound
from singletable_apps.games.pages.dependencies import DriverPage, Segment
from singletable_apps.games.service.reports import TableName
from singletable_apps.shared.pages import Flash, request_time_zone
from singletable_apps.shared.web import download
from singletable_apps.shared.web.downloads import TableFormat, download_table

router = APIRouter()
# Longer lists are in the files.
_SHOWN = 100


@router.get("/host/{game_id}/report")
def show_report(page: DriverPage) -> Response:
    """Show every question with its results, and the scores."""
    report = page.service.reports.read(page.game.game_id)
    return page.render("report", report=report, game=page.game, shown=_SHOWN)


@router.get("/host/{game_id}/report/{name}")
def download_report(
    page: DriverPage,
    name: TableName | Literal["game"],
    format: TableFormat = "csv",  # noqa: A002
) -> Response:
    """Download all answers, the scores or audience questions, or everything as JSON."""
    report = page.service.reports.read(page.game.game_id)
    title = f"{page.game.title} {name}"
    if name == "game":
        body = json.dumps(report.as_json(), default=str, indent=1).encode()
        return download(body, f"{title}.json", "application/json")
    zone = request_time_zone(page.request)
    columns, rows = report.table(name, zone)
    if name == "answers":
        columns = (*columns[:-1], f"{columns[-1]} ({zone.key})")
    return download_table(columns, rows, title, format)


@router.post("/host/{game_id}/report/summaries/{question_id}")
def summarize(page: DriverPage, question_id: Segment) -> Response:
    """Summarize the written answers to a question."""
    back = f"{page.urls.report(page.game.game_id)}#q{question_id}"
    try:
        page.service.reports.summarize(page.game.game_id, question_id)
    except (InvalidInput, NotFound, Busy) as error:
        return page.redirect(back, Flash(str(error), "warning"))
    return page.redirect(back)
