"""Check my ballot: what a receipt proves, in sentences, and whether a confirmation was signed."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.errors import NotSignedIn, Refused
from singletable_apps.elections.pages.addresses import address
from singletable_apps.elections.pages.receipt import CHECKER
from singletable_apps.elections.pages.receipt_reading import Given, ReceiptRefused, given, parsed
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Visitor, page_router
from singletable_apps.elections.proofs import (
    CodeRefused,
    Finding,
    Proof,
    check,
    fingerprint,
    is_included,
    is_signed,
    parse_code,
    readable,
)
from singletable_apps.shared.pages import Form, Typed

router = page_router()


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
        form = Form({"receipt": sent.pasted}).refused(receipt=str(refusal))
        return _page(request, site, 422, receipt_form=form)
    closed = isinstance(receipt, dict) and bool(receipt.get("closing"))
    key = _fingerprint(site)
    findings = check(receipt, key=key if closed else None)
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
def look_up(request: Request, site: ThisSite, visitor: Visitor, form: Typed) -> Response:
    """Whether a confirmation is among those that were signed when an election closed."""
    if visitor is None:
        raise NotSignedIn("Sign in to look up a confirmation.")
    typed = form.read(Search)
    if isinstance(typed, Form):
        return _page(request, site, 422, search_form=typed)
    try:
        code = parse_code(typed.confirmation)
    except CodeRefused as refusal:
        return _page(request, site, 422, search_form=form.refused(confirmation=str(refusal)))
    try:
        inclusion, closing = site.elections.results.proof(visitor, typed.election.strip(), code)
    except Refused as refusal:
        if refusal.field != "confirmation":
            form = form.refused(election=str(refusal))
            return _page(request, site, 422, search_form=form)
        missing = Finding(
            False,
            f"The confirmation {readable(code)} is not among those signed. A ballot that was cast "
            "again, or withdrawn, has another confirmation or none: compare it with your receipt.",
        )
        return _page(request, site, search_form=form, looked_up=[missing])
    statement = closing["statement"]
    way = Proof(inclusion["index"], inclusion["size"], tuple(inclusion["path"]))
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
        "key": readable(_fingerprint(site)),
        "checker": CHECKER,
        "to": address("check"),
        "look_up": address("check", "confirmation"),
        "known": getattr(request.state, "user", None) is not None,
    }
    return site.pages.page(request, "elections/check.html", status, **{**shown, **context})


def _fingerprint(site: Site) -> str:
    return fingerprint(site.elections.office.keys.signer.public_key)
