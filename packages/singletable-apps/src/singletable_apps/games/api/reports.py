"""Reports in the API: the whole game, tables to download, and summaries of written answers."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Response

from singletable_apps.games.api.dependencies import SEATED, DriverSeat, Service
from singletable_apps.games.service.reports import TableName
from singletable_apps.shared.web import INVALID, UNAVAILABLE, Model, Segment, api_router
from singletable_apps.shared.web.downloads import TABLE, TableFormat, download_table

router = api_router("reports", *SEATED, INVALID, UNAVAILABLE)


class AnswerSummary(Model):
    """A summary of written answers; `prompt` is how it was made, in debug mode."""

    question_id: str
    summary: str
    prompt: str = ""


@router.get("/games/{game_id}/report")
def read_report(service: Service, seated: DriverSeat) -> dict[str, Any]:
    """Return every question with its answers and points, and the scores."""
    return service.reports.read(seated.game.game_id).as_json()


@router.get("/games/{game_id}/report/{table}", response_class=Response, responses=TABLE)
def download_report(
    service: Service,
    seated: DriverSeat,
    table: TableName,
    format: Annotated[TableFormat, Query()] = "csv",  # noqa: A002
) -> Response:
    """Download all answers, the final scores or audience questions, as CSV, XLSX or JSON."""
    report = service.reports.read(seated.game.game_id)
    return download_table(*report.table(table), table, format)


@router.get("/games/{game_id}/summary/{question_id}")
def read_summary(service: Service, seated: DriverSeat, question_id: Segment) -> AnswerSummary:
    """Return the summary of a question, which is made if it is missing."""
    reports, game = service.reports, seated.game
    request = reports.summary_request(game.game_id, question_id)
    entry = service.game_store.get_round(game.game_id, question_id)
    if entry is None or not entry.summary:
        entry = reports.summarize(game.game_id, question_id)
    prompt = reports.summarizer.prompt(request) if game.debug_mode else ""
    return AnswerSummary(question_id=question_id, summary=entry.summary, prompt=prompt)


@router.post("/games/{game_id}/summary/{question_id}")
def create_summary(service: Service, seated: DriverSeat, question_id: Segment) -> AnswerSummary:
    """Summarize the answers to a question again."""
    entry = service.reports.summarize(seated.game.game_id, question_id)
    return AnswerSummary(question_id=question_id, summary=entry.summary)
