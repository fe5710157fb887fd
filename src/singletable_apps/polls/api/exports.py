"""Votes as files for other programs: how often each ranking was voted for, never by whom or when.

Rankings come by how frequent they are, so their order tells nothing of the order of votes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

from fastapi import Path, Response

from singletable_apps.counting.formats import WriteError, write_ballots, write_rounds
from singletable_apps.polls.api.asking import ANYBODY, Service
from singletable_apps.polls.api.models.exports import ExportShown, RoundsFile
from singletable_apps.polls.api.refusals import HIDDEN, topic
from singletable_apps.polls.api.results import Seen
from singletable_apps.polls.service import Outcome, Polls
from singletable_apps.shared.web import INVALID, NOT_FOUND, Fault, Problem, file_to_save

router = topic("exports", NOT_FOUND, HIDDEN)
_TEXT = {"schema": {"type": "string"}}
_FILE: dict[str, Any] = {
    "description": "The file.",
    "model": ExportShown | RoundsFile,
    "headers": {"Content-Disposition": {"description": "The name of the file.", **_TEXT}},
    "content": {"text/csv": _TEXT, "text/plain": _TEXT},
}


class Format(StrEnum):
    """Of which kind a file is."""

    CSV = "csv"
    ABIF = "abif"
    JSON = "json"
    RCTAB = "rctab"


_SAVED_AS = {
    Format.CSV: ("csv", "text/csv"),
    Format.ABIF: ("abif", "text/plain"),
    Format.JSON: ("json", "application/json"),
    Format.RCTAB: ("rctab.json", "application/json"),
}


@router.get(
    "/{poll_id:uuid}/export/{format}",
    response_class=Response,
    responses={200: _FILE},
    openapi_extra=ANYBODY,
)
def export_votes(
    outcome: Seen,
    polls: Service,
    form: Annotated[Format, Path(alias="format", description="The format.")],
) -> Response:
    """Rankings with counts as csv or abif, the rounds as rctab, or all of it as json."""
    ending, media_type = _SAVED_AS[form]
    try:
        content = _written(outcome, form, polls)
    except WriteError as refusal:
        words = (
            f"The name of an option of '{outcome.poll.title}' means something else in {form}. "
            "Take json, which holds any name."
        )
        raise Problem(INVALID, words, errors=[Fault(words, parameter="format")]) from refusal
    return file_to_save(content, f"{outcome.poll.title}.{ending}", media_type)


def _written(outcome: Outcome, form: Format, polls: Polls) -> bytes:
    match form:
        case Format.CSV | Format.ABIF:
            return write_ballots(outcome.counts.ballots, form, title=outcome.poll.title)
        case Format.JSON:
            return ExportShown.whole(outcome).model_dump_json(by_alias=True, indent=1).encode()
        case Format.RCTAB:
            ended = outcome.poll.expires_at if outcome.is_final else None
            day = (ended or polls.desk.clock()).date()
            return write_rounds(outcome.counts.runoff, contest=outcome.poll.title, day=day)
