"""Files to take along: exports, receipts, the checker, and the key that it needs."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import Query, Response

from singletable_apps.counting.formats import FORMATS
from singletable_apps.elections.api.asking import Service, Viewer
from singletable_apps.elections.api.files import export_file
from singletable_apps.elections.api.models.results import KeyShown
from singletable_apps.elections.api.models.voting import ReceiptShown
from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.api.refusals import WRONG_STATE, topic
from singletable_apps.elections.proofs import checker_source, fingerprint, readable
from singletable_apps.shared.web import (
    NOT_ALLOWED,
    NOT_FOUND,
    NOT_SIGNED_IN,
    TOO_MANY,
    file_to_save,
    responses,
)

router = topic("downloads")
_OF_AN_ELECTION = responses(NOT_SIGNED_IN, NOT_ALLOWED, NOT_FOUND, WRONG_STATE, TOO_MANY)
_TEXT = {"schema": {"type": "string"}}
_NAMED = {"Content-Disposition": {"description": "The name of the file.", **_TEXT}}
Format = Annotated[
    str,
    Query(description="The format.", json_schema_extra={"enum": list(FORMATS)}),
]


@router.get(
    "/elections/{name}/export",
    response_class=Response,
    responses={
        **_OF_AN_ELECTION,
        200: {
            "description": "The file.",
            "headers": _NAMED,
            "content": {"text/plain": _TEXT, "text/csv": _TEXT, "application/json": {}},
        },
    },
)
def export_ballots(
    user: Viewer,
    elections: Service,
    name: NameInPath,
    form: Annotated[Format, Query(alias="format")],
) -> Response:
    """The ballots as a file for other programs; of totals alone only `rctab`."""
    return export_file(elections, user, name, form)


@router.get(
    "/elections/{name}/receipt",
    response_class=Response,
    responses={**_OF_AN_ELECTION, 200: {"model": ReceiptShown, "headers": _NAMED}},
)
def download_receipt(user: Viewer, elections: Service, name: NameInPath) -> Response:
    """One's own receipt as a file, for the checker."""
    receipt = elections.voting.ballot(user, name, user.name).receipt
    content = json.dumps(receipt, ensure_ascii=False, indent=1).encode()
    return file_to_save(content, f"receipt of {receipt['name']}.json", "application/json")


@router.get(
    "/checker.py",
    response_class=Response,
    responses={
        200: {
            "description": "A program for Python alone.",
            "headers": _NAMED,
            "content": {"text/x-python": _TEXT},
        }
    },
)
def download_checker() -> Response:
    """The program that checks receipts and publications without asking anybody."""
    return file_to_save(checker_source().encode(), "checker.py", "text/x-python")


@router.get("/keys")
def read_keys(elections: Service) -> KeyShown:
    """The key that signatures are checked with; compare its fingerprint with what you were told."""
    public = elections.office.keys.signer.public_key
    code = fingerprint(public)
    return KeyShown(public_key=public, fingerprint=code, readable=readable(code))
