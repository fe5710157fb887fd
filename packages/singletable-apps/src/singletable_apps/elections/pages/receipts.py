"""Receipts: the page after voting, the file for the checker, and the page that checks them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from fastapi import APIRouter, Response
from pydantic import JsonValue

from singletable_apps.elections.pages.ballot import (
    load_voter_context,
    receipt_in_page,
    render_receipt,
    write_receipt,
)
from singletable_apps.elections.pages.dependencies import (
    AnyPage,
    ElectionPage,
    VoterPage,
    local_time,
)
from singletable_apps.elections.proofs.checker import Finding, reject_duplicates
from singletable_apps.elections.proofs.documents import (
    Receipt,
    checker_command,
    final_receipt_filename,
    receipt_filename,
)
from singletable_apps.elections.proofs.keys import fingerprint, format_fingerprint
from singletable_apps.elections.proofs.verification import verify_receipt
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.mail import Email
from singletable_apps.shared.pages import Form
from singletable_apps.shared.pages.uploads import PastedOrFile
from singletable_apps.shared.web import download

router = APIRouter()
# How to check offline: a receipt from before the close, one from after it, and the first of these
# with the published data. The last one checks both, and works without this page.
COMMANDS = (
    checker_command("RECEIPT"),
    checker_command("RECEIPT", key="FINGERPRINT"),
    checker_command("RECEIPT", publication="PUBLICATION", key="FINGERPRINT"),
)
# More than twice the receipt of a closed election with a hundred candidates with long names.
MAX_RECEIPT_SIZE = 512 * 1024


@router.get("/e/{name}/receipt")
def show_receipt(page: VoterPage) -> Response:
    """Show the receipt of the user's ballot; after casting, voters are redirected here."""
    voter = load_voter_context(page)
    if voter.cast is None:
        flash = "You don’t have a receipt: you haven’t voted in this election."
        return page.redirect(page.url("ballot"), flash)
    if not voter.can_show:
        return page.redirect(page.url("ballot"))
    cast = page.service.voting.own_ballot(page.voter, page.election.name)
    return render_receipt(page, voter, cast)


@router.post("/e/{name}/receipt/email")
def email_receipt(page: ElectionPage) -> Response:
    """Send the voter an e-mail with the link to the receipt.

    It has no part of the tracking code, with which those who read e-mails on their way, or stored
    ones, could find the ballot on the published list.
    """
    page.state.count_use("receipt", str(page.user.user_id))
    cast = page.service.voting.own_ballot(page.user, page.election.name)
    email = Email(
        page.user.email,
        f"Your ballot in “{cast.election_name}”",
        f"Hello {page.user.name},\n\n"
        f"your ballot in “{cast.election_name}” was cast on {local_time(page, cast.when_cast)}.\n\n"
        "Your receipt shows how you voted, so neither it nor its code is in this e-mail. See it "
        "here:\n\n"
        f"{page.urls.absolute(page.url('receipt'))}\n",
    )
    page.service.context.mail.send(email, page.service.context.clock())
    return page.redirect(page.url("receipt"), f"The e-mail is on its way to {page.user.email}.")


@router.get("/e/{name}/receipt.json")
def download_receipt(page: VoterPage) -> Response:
    """Return the receipt as a file for the checker."""
    receipt = page.service.voting.own_ballot(page.voter, page.election.name).receipt
    filename = receipt_filename(receipt["name"])
    response = download(write_receipt(receipt), filename, "application/json")
    response.headers["Cache-Control"] = "private, no-store"
    return response


def parse_receipt(raw: bytes) -> dict[str, JsonValue]:
    """Return the receipt, or raise InvalidInput with the reason."""
    if len(raw) > MAX_RECEIPT_SIZE:
        raise _invalid(
            f"This file is too large: a receipt has at most {MAX_RECEIPT_SIZE // 1024} kB. Did you "
            "choose the right file?"
        )
    if not raw.strip():
        raise _invalid("Choose your receipt file, or paste its text.")
    if raw.startswith(b"%PDF") or b"\0" in raw[:200]:
        raise _invalid(
            "This is not a receipt file. Choose the file that ends in .json, not a PDF or an image."
        )
    try:
        # `int` rejects NaN and Infinity, which are not JSON.
        text, pairs = raw.decode("utf-8-sig"), reject_duplicates
        receipt: JsonValue = json.loads(text, object_pairs_hook=pairs, parse_constant=int)
    except (ValueError, RecursionError) as error:
        raise _invalid(
            "This is not a complete receipt. Use the file as you downloaded it, or copy all of its "
            "text from the first { to the last }."
        ) from error
    if not isinstance(receipt, dict):
        raise _invalid("This is not a receipt. A receipt starts with { and ends with }.")
    if str(receipt.get("format", "")).startswith("singletable election publication"):
        raise _invalid(
            "This is the published data of an election, not a receipt. Check it with checker.py, "
            "alone or together with your receipt."
        )
    return receipt


def _invalid(reason: str) -> InvalidInput:
    return InvalidInput({"receipt": reason})


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of a check: a headline, one sentence, and the findings behind it.

    `command` checks the same offline: the receipt or, if there is one, the `final` receipt, which
    has a file name and an address.
    """

    title: str
    text: str
    findings: Sequence[Finding]
    election: str = ""
    command: str = ""
    final: tuple[str, str] | None = None

    @property
    def is_ok(self) -> bool:
        """Return whether all findings are good."""
        return all(finding.ok for finding in self.findings)


@router.get("/check")
def show_check(page: AnyPage) -> Response:
    """Show the forms that check a receipt or a tracking code."""
    return _render_check(page, Form())


@router.post("/check")
def check_receipt(page: AnyPage, upload: PastedOrFile) -> Response:
    """Check a receipt and show what it proves. A file takes precedence over pasted text."""
    form, files = upload.form, upload.named("file")
    try:
        receipt = parse_receipt(files[0].data if files else form.value("receipt").encode())
    except InvalidInput as error:
        return _render_check(page, form.with_errors(**error.errors), 422)
    is_closed = bool(receipt.get("closing"))
    public_key = page.service.context.keys.signer.public_key
    findings = verify_receipt(receipt, key=fingerprint(public_key) if is_closed else None)
    is_genuine, outcome, final = all(finding.ok for finding in findings), "counted", None
    if not is_closed and len(findings) > 1:  # otherwise it is not a receipt
        definition = cast(Mapping[str, int], receipt["definition"])
        code = str(receipt["confirmation"])
        outcome = page.service.results.find_outcome(definition["election_id"], code)
        if outcome in ("counted since", "not counted"):
            word = "is" if outcome == "counted since" else "is not"
            findings[-1] = Finding(word == "is", f"The tracking code {word} in the signed result.")
        if outcome == "counted since" and is_genuine:
            final = page.service.results.add_proof(cast(Receipt, receipt))
            if final is None:
                is_genuine = False
                findings.append(Finding(False, "The election had another name."))
    title, text = _OUTCOMES[outcome if is_genuine else "wrong"]
    result = CheckResult(title, text, findings, str(receipt.get("name", ""))[:400])
    if result.is_ok:
        filename = receipt_filename(result.election)
        if final is not None:
            filename = final_receipt_filename(final["name"])
            result = replace(result, final=(filename, receipt_in_page(final)))
        key = format_fingerprint(public_key) if is_closed or final else ""
        command = checker_command(filename, key=key)
        result = replace(result, command=command)
    return _render_check(page, form, result=result)


_OUTCOMES = {
    "wrong": (
        "This receipt doesn’t check out",
        "Use the file as you downloaded it and try again. If that doesn’t help, keep the file and "
        "contact the people who run the election.",
    ),
    "counted": (
        "Your ballot was counted",
        "Your receipt is genuine, and your ballot is among those that were counted and signed.",
    ),
    "open": (
        "Your receipt is valid",
        "The election is still open. After it closes, check this file here again to see that your "
        "ballot was counted.",
    ),
    "counted since": (
        "Your ballot was counted",
        "The election has closed since you downloaded this receipt, and your ballot is among those "
        "that were counted and signed. Download your final receipt: it proves that to everyone.",
    ),
    "not counted": (
        "This ballot was not counted",
        "The election has closed. Another ballot has replaced this one, or it was withdrawn. If "
        "you did neither, keep this file and contact the people who run the election.",
    ),
    "deleted": (
        "Your receipt is valid",
        "The election was deleted, so nothing more can be checked here. Keep this file.",
    ),
    "unknown": (
        "Your receipt is valid",
        "It is from before the close of an election that is not on this site. After the close, "
        "check it there again to see that your ballot was counted.",
    ),
}


def _render_check(
    page: AnyPage, form: Form, status: int = 200, result: CheckResult | None = None
) -> Response:
    return page.render("check", status, form=form, check=result, commands=COMMANDS)
