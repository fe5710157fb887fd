"""The receipt page after voting, and the receipt file with its proof after the close."""

from __future__ import annotations

import pytest

from singletable_apps.elections.proofs.encoding import format_code
from singletable_apps.elections.proofs.keys import fingerprint
from singletable_apps.elections.proofs.verification import verify_receipt
from tests.apps.elections.pages.client import CHAIR, Browser, PagesApp


@pytest.fixture
def ben(app: PagesApp) -> Browser:
    """Return a voter who has cast a secret ballot, as two others have."""
    app.launch("Cleo", "Dan", "Eve", secret_ballot=True)
    ben = app.register("Ben")
    for other in ("Gus", "Hal"):
        app.register(other).cast(Eve="1")
    ben.cast(Dan="1", Eve="1")
    return ben


def close(app: PagesApp) -> None:
    app.world.service.lifecycle.close(app.user("Ada"), CHAIR)


def test_receipt_shows_the_ranking_and_the_tracking_code(ben: Browser) -> None:
    receipt = ben.get("e", CHAIR, "receipt.json").json()
    text = ben.read("e", CHAIR, "receipt")
    assert "1. Dan and Eve Not ranked: Cleo." in text
    assert format_code(receipt["confirmation"]) in text.replace(" ", "")
    assert [finding.ok for finding in verify_receipt(receipt)] == [True, True]


def test_short_code_is_the_beginning_of_a_code_on_the_published_list(
    app: PagesApp, ben: Browser
) -> None:
    short = format_code(ben.get("e", CHAIR, "receipt.json").json()["confirmation"])[:9]
    assert f"short code {short}" in ben.read("e", CHAIR, "receipt")
    close(app)
    published = ben.get("e", CHAIR, "published").text
    assert published.count("<code><strong>") == 3
    assert f"<code><strong>{short}</strong>-" in published


def test_receipt_by_email_has_a_link_and_not_the_ballot(app: PagesApp, ben: Browser) -> None:
    page = ben.get("e", CHAIR, "receipt")
    assert "data-print" in page.text
    assert (
        ben.flash(ben.submit(page, "/receipt/email"))
        == "The e-mail is on its way to ben@example.org."
    )
    [email] = app.emails()
    assert (email.to, email.subject) == ("ben@example.org", "Your ballot in “Chair”")
    receipt = ben.get("e", CHAIR, "receipt.json").json()
    # With a part of the code, readers of e-mails would find the ballot on the published list.
    assert receipt["confirmation"][:4] not in email.text
    assert "Dan" not in email.text
    assert ben.open(app.link(email.subject)).status_code == 200


# The page once opened with a code of 52 characters.
def test_receipt_page_says_first_that_the_ballot_is_in(app: PagesApp, ben: Browser) -> None:
    page = ben.get("e", CHAIR, "receipt").text
    assert "<h2>Your ballot is in</h2>" in page
    before, _, after = page.partition('<details class="disclosure receipt-code">')
    assert 'id="confirmation"' not in before
    assert 'id="confirmation"' in after.partition("</details>")[0]
    close(app)
    assert "<h2>Your ballot was counted</h2>" in ben.get("e", CHAIR, "receipt").text


# The next person at the same screen goes back after the voter has signed out.
def test_pages_with_a_ballot_are_not_cached(app: PagesApp, ben: Browser) -> None:
    pages = [ben.get("e", CHAIR, name) for name in ("ballot", "receipt")]
    close(app)
    pages += [ben.get("e", CHAIR, name) for name in ("ballot", "receipt")]
    assert [page.headers["cache-control"] for page in pages] == ["no-store"] * 4


def test_receipt_contains_its_proof_after_the_close(app: PagesApp, ben: Browser) -> None:
    close(app)
    answer = ben.get("e", CHAIR, "receipt.json")
    assert answer.headers["cache-control"] == "private, no-store"
    key = fingerprint(app.world.service.context.keys.signer.public_key)
    findings = verify_receipt(answer.json(), key=key)
    assert [finding.claim for finding in findings if not finding.ok] == []
    text = ben.read("e", CHAIR, "receipt")
    assert "one of 3 ballots" in text
    assert answer.json()["closing"]["signature"] in text
    assert format_code(key) in text


# The instructions once named receipt.json, and the file was saved as "receipt of Chair.json".
@pytest.mark.parametrize(
    ("page", "file"),
    [("receipt", ["receipt.json"]), ("published", ["published", "publication.json"])],
)
def test_instructions_name_the_file_as_it_is_downloaded(
    app: PagesApp, ben: Browser, page: str, file: list[str]
) -> None:
    close(app)
    disposition = ben.get("e", CHAIR, *file).headers["content-disposition"]
    saved_as = disposition.partition('filename="')[2].partition('"')[0]
    command = ben.read("e", CHAIR, page).partition("python3 checker.py ")[2]
    assert saved_as in command.split()[:3]


def test_person_who_has_not_voted_is_redirected_to_the_ballot(app: PagesApp, ben: Browser) -> None:
    fay = app.register("Fay")
    assert fay.get("e", CHAIR, "receipt").url.path == "/elections/e/Chair/ballot"
    assert fay.get("e", CHAIR, "receipt.json").status_code == 404


# A draft left in a shared browser would reveal how someone voted.
def test_receipt_names_the_draft_to_delete(ben: Browser) -> None:
    receipt = ben.get("e", CHAIR, "receipt").text
    ballot = ben.get("e", CHAIR, "ballot").text
    draft = receipt.partition('data-ballot-cast="')[2].partition('"')[0]
    version = receipt.partition('data-version="')[2].partition('"')[0]
    assert draft
    assert draft in ballot
    assert version in ballot
    assert "ballot/drafts.js" in receipt
