"""Results: the tally, published ballots, signed statements and downloads."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from ranked_ballots import METHODS
from ranked_ballots.formats import FORMATS
from singletable_apps.elections.api import schemas
from singletable_apps.elections.api.dependencies import OnElection, Service, slice_page
from singletable_apps.elections.proofs.documents import CHECKER_FILENAME, PublishedElection
from singletable_apps.elections.proofs.encoding import format_code
from singletable_apps.elections.proofs.keys import fingerprint
from singletable_apps.elections.proofs.verification import checker_source
from singletable_apps.elections.rules.methods import METHODS as ELECTION_METHODS
from singletable_apps.elections.service.results import RevealedBallot
from singletable_apps.elections.web import WRONG_STATE, export_file
from singletable_apps.shared.web import (
    FILE_NAME,
    NOT_FOUND,
    SIGNED_IN,
    Pagination,
    api_router,
    download,
)

router = api_router("results", *SIGNED_IN, NOT_FOUND, WRONG_STATE)
# To compare, ballots with ranks for one seat can be counted by other methods, too.
COUNTABLE = list({**ELECTION_METHODS, **METHODS})
Method = Annotated[
    str | None,
    Query(
        description="The counting method; without it, the one that decides.",
        json_schema_extra={"enum": COUNTABLE},
    ),
]


@router.get("/elections/{name}/tally")
def read_tally(on: OnElection, method: Method = None) -> schemas.Tally:
    """Count the ballots and explain the result. Secret ballots are counted after the close."""
    return schemas.Tally.of(on.service.results.tally(on.user, on.name, method))


@router.get("/elections/{name}/ballots")
def list_ballots(on: OnElection, page: Pagination) -> schemas.BallotPage:
    """List the ballots as far as the election publishes them."""
    results = on.service.results
    ballots, cursor = slice_page(page, results.ballots(on.user, on.name), on.service)
    share = results.tally(on.user, on.name).unique_share
    return schemas.BallotPage.from_object(
        page.answer([_to_schema(ballot) for ballot in ballots], cursor),
        unique_share=share,
        warning=schemas.WARNING.format(share=share) if share else None,
    )


@router.get("/elections/{name}/publication")
def read_publication(on: OnElection) -> PublishedElection:
    """Return the signed publication of a closed election, which anyone can check."""
    return on.service.results.published(on.user, on.name)


def _to_schema(ballot: RevealedBallot) -> schemas.PublishedBallot:
    ranking = [list(level) for level in ballot.ranking.levels]
    return schemas.PublishedBallot.from_object(ballot, ranking=ranking)


_TEXT = {"schema": {"type": "string"}}
Format = Annotated[
    str,
    Query(
        alias="format", description="The file format.", json_schema_extra={"enum": list(FORMATS)}
    ),
]


@router.get(
    "/elections/{name}/export",
    response_class=Response,
    responses={
        200: {
            "description": "The file.",
            "headers": FILE_NAME,
            "content": {"text/plain": _TEXT, "text/csv": _TEXT, "application/json": {}},
        }
    },
)
def export_ballots(on: OnElection, form: Format) -> Response:
    """Download the ballots for other programs. With totals only, there are none."""
    return export_file(on.service, on.user, on.name, form)


downloads_router = api_router("downloads")


@downloads_router.get(
    "/checker.py",
    response_class=Response,
    responses={
        200: {
            "description": "A Python program without dependencies.",
            "headers": FILE_NAME,
            "content": {"text/x-python": _TEXT},
        }
    },
)
def download_checker() -> Response:
    """Download the program that checks receipts and publications offline."""
    return download(checker_source().encode(), CHECKER_FILENAME, "text/x-python")


@downloads_router.get("/keys")
def read_keys(service: Service) -> schemas.PublicKey:
    """Return the public key of the signatures. Compare its fingerprint with one from elsewhere."""
    public = service.context.keys.signer.public_key
    code = fingerprint(public)
    return schemas.PublicKey(public_key=public, fingerprint=code, readable=format_code(code))
