"""Shared by the API and the pages: names in URLs, downloads, and the problem of each error."""

from __future__ import annotations

import logging
from typing import Annotated, TypeAlias
from unicodedata import normalize

from fastapi import Request, Response
from pydantic import AfterValidator, Field

from ranked_ballots.formats import FORMATS
from singletable import ItemMismatch
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import IdempotencyKeyReused, IntegrityError, WrongState
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.elections.rules.names import MAX_NAME_BYTES, fold_name
from singletable_apps.elections.service import Elections
from singletable_apps.shared.errors import AlreadyExists, NotFound
from singletable_apps.shared.frame import AppProblems, count_request, state_of
from singletable_apps.shared.web import (
    UNAVAILABLE,
    FieldError,
    Problem,
    ProblemType,
    download,
    in_segment,
)

LONGEST = 200
_MEDIA_TYPES = {"csv": "text/csv", "json": "application/json"}


def _written(name: str) -> str:
    written = normalize("NFC", name)
    if len(fold_name(written).encode()) > MAX_NAME_BYTES:
        raise ValueError(f"Expected a name that takes at most {MAX_NAME_BYTES} bytes")
    return written


NameAsked: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=LONGEST), AfterValidator(_written)
]
NameInPath: TypeAlias = Annotated[NameAsked, in_segment]


def export_file(service: Elections, viewer: User | LinkVoter, name: str, form: str) -> Response:
    """Return the published ballots of an election as a file."""
    content = service.results.export_ballots(viewer, name, form)
    title, ending = service.context.read.get_election(name).name, FORMATS[form].extensions[0]
    return download(content, f"{title}.{ending}", _MEDIA_TYPES.get(ending, "text/plain"))


def open_link(request: Request, code: str) -> tuple[Election, LinkVoter]:
    """Return the election and the voter of a personal link; the election is closed if that is due.

    Requests are counted per voter, and wrong codes per client: so a hall full of people behind one
    address can vote, but nobody can guess codes.
    """
    state = state_of(request)
    service: Elections = state.service
    try:
        election, voter = service.rolls.open_link(code)
    except NotFound:
        count_request(request, "wrong_code")
        raise
    state.count_use("voter", f"{voter.election_id} {voter.entry.number}")
    return service.results.close_if_due(election.name), voter


# ------------------------------------------------------------------------------ problems

TAKEN = ProblemType("taken", 409, "Already taken", "Choose another name or e-mail address.")
WRONG_STATE = ProblemType(
    "wrong-state",
    409,
    "Not possible in this state",
    "An election is set up, launched and closed, in this order. Read its `state`.",
)
KEY_REUSED = ProblemType(
    "key-reused",
    422,
    "Idempotency-Key used for another request",
    "Use a new key for each ballot, and the same key only to repeat a request.",
)

# Fields that have another name in the request body.
_FIELD_NAMES = {"candidates": "candidate_names", "voters": "voter_names"}
_LOG = logging.getLogger("singletable_apps.errors")
_BROKEN = (
    "The stored data of this site does not match its event log, so nothing was shown or saved. The "
    "operator must repair it; the details are in the server log."
)


def _report_broken(error: Exception, request: Request) -> Problem:
    """Log that the log and the table contradict each other. Only the operator gets the details."""
    _LOG.error("Request to %s failed: %s", request.url.path, error, exc_info=error)
    return Problem(UNAVAILABLE, _BROKEN, headers={"Retry-After": "60"})


def _key_reused(error: Exception, _: Request) -> Problem:
    text = str(error)
    return Problem(KEY_REUSED, text, errors=[FieldError(text, header="Idempotency-Key")])


PROBLEMS = AppProblems(
    {AlreadyExists: TAKEN, WrongState: WRONG_STATE},
    others=[KEY_REUSED],
    field_name=lambda name, _: _FIELD_NAMES.get(name, name),
    parameters={"user", "election", "ballot", "confirmation", "table", "relation", "voter", "code"},
    handlers={
        IdempotencyKeyReused: _key_reused,
        IntegrityError: _report_broken,
        ItemMismatch: _report_broken,
    },
)
