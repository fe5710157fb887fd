"""The receipt: what a voter takes home, on screen, on paper, and as a file for the checker."""

from __future__ import annotations

import json
from dataclasses import dataclass
from email.parser import BytesParser
from email.policy import HTTP
from functools import partial
from typing import Annotated, NoReturn
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, Field, JsonValue

from singletable_apps.elections.api import PREFIX as API
from singletable_apps.elections.api.dependencies import NameInPath
from singletable_apps.elections.errors import NotSignedIn, Rejected
from singletable_apps.elections.pages.ballot import OPEN, polling, seen_by
from singletable_apps.elections.pages.dependencies import (
    Viewer,
    Visitor,
    election_context,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url, url
from singletable_apps.elections.proofs import (
    CHECKER_FILENAME,
    Finding,
    InclusionProof,
    InvalidCode,
    checker_command,
    fingerprint,
    format_code,
    format_fingerprint,
    is_included,
    is_signed,
    parse_code,
    receipt_filename,
    verify_receipt,
)
from singletable_apps.shared.ballot import render_ranking
from singletable_apps.shared.pages import Form, PostedForm
from singletable_apps.shared.web import download

router = APIRouter()
CHECKER = f"{API}/{CHECKER_FILENAME}"


@router.get("/e/{name}/receipt")
def show_receipt(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """What was cast, its confirmation, and what can be done with it."""
    found = polling(site, user, name)
    if found.ballot is None:
        to = election_url(found.election, "ballot")
        return site.pages.redirect(request, to, "There is no receipt: you have not voted here.")
    cast = site.elections.voting.ballot(user, found.election.name, user.name)
    ranking, asked = cast.receipt["ranking"], cast.receipt["definition"]
    ranked = {each for level in ranking for each in level}
    return site.pages.render(
        request,
        "elections/receipt.html",
        **election_context(site, found.election, user, "ballot"),
        found=found,
        at=partial(election_url, found.election),
        cast=cast,
        groups=format_code(cast.receipt["confirmation"]).split("-"),
        said=render_ranking(ranking, [each for each in asked["candidates"] if each not in ranked]),
        may_change=found.way in OPEN,
        seen_by=seen_by(found.election),
        closing=cast.receipt["closing"],
        key=_formatted_key(site),
        command=checker_command(receipt_filename(cast.receipt["name"])),
        check=url("check"),
        checker=CHECKER,
    )


@router.get("/e/{name}/receipt.json")
def download_receipt(site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """The receipt as a file, as the checker reads it."""
    election = site.elections.results.close_if_due(name)
    receipt = site.elections.voting.ballot(user, election.name, user.name).receipt
    content = json.dumps(receipt, ensure_ascii=False, indent=1).encode()
    response = download(content, receipt_filename(receipt["name"]), "application/json")
    response.headers["Cache-Control"] = "private, no-store"
    return response


# A receipt of a hundred candidates with the longest names, closed, has less than half of it.
LARGEST = 512 * 1024
TOO_LARGE = f"A receipt has at most {LARGEST // 1024} kB, and this is larger. Is it the right file?"


class ReceiptRefused(Exception):
    """What came is no receipt; the text says why."""


@dataclass(frozen=True, slots=True)
class Given:
    """What was given: pasted text, or the bytes of a file."""

    pasted: str = ""
    file: bytes = b""


async def given(request: Request) -> Given:
    """What the form holds: fields as text, or with a file in parts."""
    body = await request.body()
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith("multipart/form-data"):
        fields = parse_qs(body.decode(errors="replace"))
        return Given(fields.get("receipt", [""])[0])
    parts = _parts(kind, body)
    return Given(parts.get("receipt", b"").decode(errors="replace"), parts.get("file", b""))


def _parts(kind: str, body: bytes) -> dict[str, bytes]:
    """The parts of the form by their names: mail has them too, and Python reads mail."""
    head = f"Content-Type: {kind}\r\n\r\n".encode("latin-1", "replace")
    whole = BytesParser(policy=HTTP).parsebytes(head + body)
    found: dict[str, bytes] = {}
    for part in whole.iter_parts() if whole.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if isinstance(name, str) and isinstance(content, bytes):
            found[name] = content
    return found


def parsed(sent: Given) -> JsonValue:
    """The receipt as JSON has it; refused in words if it is none. A file comes before a paste."""
    raw = sent.file or sent.pasted.encode()
    if len(raw) > LARGEST:
        raise ReceiptRefused(TOO_LARGE)
    if not raw.strip():
        raise ReceiptRefused("Paste the text of your receipt, or choose its file.")
    try:
        text = raw.decode("utf-8-sig")
        value: JsonValue = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ReceiptRefused(_why(raw, error)) from error
    if not isinstance(value, dict):
        raise ReceiptRefused("A receipt begins with { and ends with }, and this does not.")
    if str(value.get("format", "")).startswith("singletable election publication"):
        raise ReceiptRefused(
            "This is what was published of an election, and no receipt. checker.py checks it, "
            "alone or together with your receipt."
        )
    return value


def _why(raw: bytes, error: Exception) -> str:
    if raw.startswith(b"%PDF") or b"\0" in raw[:200]:
        return (
            "This is no text. A receipt is the file that ends in .json, not a print or a picture."
        )
    if isinstance(error, json.JSONDecodeError):
        where = f"line {error.lineno}, column {error.colno}"
        return f"This is no receipt, or not the whole of it: {where} cannot be read ({error.msg})."
    if isinstance(error, UnicodeDecodeError):
        return "This is no text in UTF-8. Take the file as it was downloaded."
    if isinstance(error, RecursionError):
        return "This is no receipt: it is nested far too deeply."
    return f"This is no receipt: {error}"


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """An object, if each name is in it once: of two, one is checked, and another read."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a name is in it twice.")
    return members


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text[:20]} is no number of JSON.")


class Search(BaseModel):
    """A confirmation, and where to look for it."""

    election: Annotated[str, Field(min_length=1, max_length=200)]
    confirmation: Annotated[str, Field(min_length=1, max_length=200)]


@router.get("/check")
def ask_for_receipt(request: Request, site: ThisSite, visitor: Visitor) -> Response:
    """The two forms: a receipt, or a confirmation."""
    return _page(request, site)


@router.post("/check")
def check_receipt(
    request: Request, site: ThisSite, visitor: Visitor, sent: Annotated[Given, Depends(given)]
) -> Response:
    """What a receipt proves."""
    try:
        receipt = parsed(sent)
    except ReceiptRefused as refusal:
        form = Form({"receipt": sent.pasted}).with_errors(receipt=str(refusal))
        return _page(request, site, 422, receipt_form=form)
    closed = isinstance(receipt, dict) and bool(receipt.get("closing"))
    key = _fingerprint(site)
    findings = verify_receipt(receipt, key=key if closed else None)
    return _page(
        request,
        site,
        receipt_form=Form({"receipt": sent.pasted}),
        findings=findings,
        holds=all(finding.ok for finding in findings),
        closed=closed,
        about=str(receipt["name"])[:400] if isinstance(receipt, dict) and "name" in receipt else "",
    )


@router.post("/check/confirmation")
def look_up(request: Request, site: ThisSite, visitor: Visitor, form: PostedForm) -> Response:
    """Whether a confirmation is among those that were signed when an election closed."""
    if visitor is None:
        raise NotSignedIn("Sign in to look up a confirmation.")
    typed = form.validate(Search)
    if isinstance(typed, Form):
        return _page(request, site, 422, search_form=typed)
    try:
        code = parse_code(typed.confirmation)
    except InvalidCode as refusal:
        return _page(request, site, 422, search_form=form.with_errors(confirmation=str(refusal)))
    try:
        inclusion, closing = site.elections.results.proof(visitor, typed.election.strip(), code)
    except Rejected as refusal:
        if refusal.field != "confirmation":
            form = form.with_errors(election=str(refusal))
            return _page(request, site, 422, search_form=form)
        missing = Finding(
            False,
            f"The confirmation {format_code(code)} is not among those signed. A ballot that was "
            "cast again, or withdrawn, has another confirmation or none: compare it with your "
            "receipt.",
        )
        return _page(request, site, search_form=form, looked_up=[missing])
    statement = closing["statement"]
    way = InclusionProof(inclusion["index"], inclusion["size"], tuple(inclusion["path"]))
    signed = is_signed(statement, closing["signature"], closing["public_key"])
    findings = [
        Finding(
            is_included(statement["root"], code, way),
            f"The confirmation is among those signed (ballots: {statement['ballots']:,}).",
        ),
        Finding(
            signed, f"The close of “{statement['name']}” is signed by the key of this service."
        ),
    ]
    return _page(request, site, search_form=form, looked_up=findings)


def _page(request: Request, site: Site, status: int = 200, /, **context: object) -> Response:
    shown: dict[str, object] = {
        "receipt_form": Form(),
        "search_form": Form(),
        "findings": [],
        "looked_up": [],
        "holds": False,
        "closed": False,
        "about": "",
        "key": _formatted_key(site),
        "command": checker_command("RECEIPT"),
        "checker": CHECKER,
        "to": url("check"),
        "look_up": url("check", "confirmation"),
        "known": getattr(request.state, "user", None) is not None,
    }
    return site.pages.render(request, "elections/check.html", status, **{**shown, **context})


def _formatted_key(site: Site) -> str:
    return format_fingerprint(site.elections.context.keys.signer.public_key)


def _fingerprint(site: Site) -> str:
    return fingerprint(site.elections.context.keys.signer.public_key)
