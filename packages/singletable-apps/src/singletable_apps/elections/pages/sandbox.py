"""The sandbox: count pasted or uploaded ballots, without an account. Nothing is stored."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from ranked_ballots import METHODS as COMPARED
from ranked_ballots import CountingError
from ranked_ballots.formats import BallotFile, FormatError, UnknownFormat, read_ballots
from singletable_apps.elections.pages.dependencies import AnyPage
from singletable_apps.elections.pages.results_view import explain_count, make_chart, make_headline
from singletable_apps.elections.rules.methods import (
    MAX_SEATS,
    METHOD,
    METHODS,
    PROPOSAL,
    check_method,
)
from singletable_apps.elections.service.results import count_ballots
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.frame import limited
from singletable_apps.shared.pages import Form
from singletable_apps.shared.pages.uploads import PastedOrFile

router = APIRouter()
MAX_BYTES = 512 * 1024
MAX_CANDIDATES = 100
EXAMPLE = """A = Castle
B = Lake
C = Museum
---
4: B > C > A
3: C > A = B
2: A > B
"""


class SandboxForm(BaseModel):
    """How to count."""

    ballots: str = ""
    method: str = METHOD.key
    seats: Annotated[int, Field(ge=1, le=MAX_SEATS)] = 1


@router.get("/sandbox")
def show_sandbox(page: AnyPage) -> Response:
    """Show the form, with an example."""
    return _render(page, Form({"ballots": EXAMPLE, "method": METHOD.key, "seats": 1}))


@router.post("/sandbox", dependencies=limited("sandbox"))
def count_pasted(page: AnyPage, upload: PastedOrFile) -> Response:
    """Count what was pasted or uploaded, and show the result."""
    files = upload.named("file")

    def act(values: SandboxForm) -> Response:
        check_method(values.method, values.seats)
        read = _read(files[0].data if files else values.ballots.encode())
        return _render(page, upload.form, **_count(read, values))

    def show(form: Form, status: int) -> Response:
        return _render(page, form, status)

    return page.submit(upload.form, SandboxForm, act, show, field="ballots")


def _render(page: AnyPage, form: Form, status: int = 200, /, **context: object) -> Response:
    methods = [(key, method.title) for key, method in METHODS.items()]
    defaults: dict[str, object] = {"result": None, "count": None}
    return page.render("sandbox", status, form=form, methods=methods, **{**defaults, **context})


def _read(data: bytes) -> BallotFile:
    if len(data) > MAX_BYTES:
        message = f"At most {MAX_BYTES // 1024} kB can be counted here, but this has more."
        raise InvalidInput({"ballots": message})
    names, line, votes = data.partition(b"\n---")
    if line:  # lines like A = Name come first, as some voting sites write them
        pairs = (each.partition(b"=") for each in names.splitlines() if each.strip())
        aliases = [b"=%s:[%s]" % (letter.strip(), name.strip()) for letter, _, name in pairs]
        data = b"\n".join([*aliases, votes.partition(b"\n")[2]])
    try:
        read = read_ballots(data)
    except UnknownFormat as error:
        message = "This is none of the formats below. Write one line like 3: A > B = C per ranking."
        raise InvalidInput({"ballots": message}) from error
    except FormatError as error:
        raise InvalidInput({"ballots": str(error)}) from error
    if len(read.ballots.candidates) > MAX_CANDIDATES:
        message = f"At most {MAX_CANDIDATES} candidates can be counted here."
        raise InvalidInput({"ballots": message})
    return read


def _count(read: BallotFile, values: SandboxForm) -> dict[str, object]:
    method = METHODS[values.method]
    others = COMPARED if method.is_compared else ()
    names = read.ballots.candidates
    if method.key == PROPOSAL and len(names) != 2:
        message = f"A proposal has two options, but here are {len(names):,} candidates."
        raise InvalidInput({"method": message})
    seats = read.seats if read.seats and method.has_seats and values.seats == 1 else values.seats
    try:
        results = {
            key: count_ballots(key, read.ballots, seats, None)
            for key in dict.fromkeys([method.key, *others])
        }
    except CountingError as error:
        raise InvalidInput({"ballots": str(error)}) from error
    result = results[method.key]
    facts = [("Method", f"{method.title}. {method.summary}"), ("In a tie", method.tie)]
    return explain_count(results, ("", "")) | {
        "headline": make_headline(result, is_final=True),
        "chart": make_chart(result),
        "agreed": [*facts, ("Seats", f"{seats:,}")] if method.has_seats else facts,
        "summary": read.summary(),
        "title": read.title,
    }
