"""A receipt can be read, downloaded and checked, and after the close it has its proof."""

from __future__ import annotations

import pytest

from singletable_apps.elections.proofs import (
    fingerprint,
    format_code,
    format_fingerprint,
    verify_receipt,
)
from tests.apps.elections.pages.client import CHAIR, Voter, VotingApp
from tests.apps.support.html import text_in


@pytest.fixture
def app() -> VotingApp:
    return VotingApp()


@pytest.fixture
def ben(app: VotingApp) -> Voter:
    """A voter who has cast a secret ballot."""
    app.launch("Cleo", "Dan", "Eve", secret_ballot=True)
    ben = app.voter("Ben")
    ben.cast({"Dan": "1", "Eve": "1"})
    return ben


def close(app: VotingApp) -> None:
    owner = app.world.service.context.read.get_user("Ada")
    app.world.service.lifecycle.close(owner, CHAIR)


def test_a_receipt_says_what_was_cast_and_its_confirmation(ben: Voter) -> None:
    receipt = ben.get("e", CHAIR, "receipt.json").json()
    told = text_in(ben.get("e", CHAIR, "receipt").text)
    assert "1. Dan and Eve Not ranked: Cleo." in told
    assert format_code(receipt["confirmation"]) in told.replace(" ", "")
    assert "come back for the receipt with the proof" in told
    assert [finding.ok for finding in verify_receipt(receipt)] == [True, True]


def test_after_the_close_a_receipt_has_its_proof(app: VotingApp, ben: Voter) -> None:
    close(app)
    answer = ben.get("e", CHAIR, "receipt.json")
    assert answer.headers["cache-control"] == "private, no-store"
    key = fingerprint(app.world.service.context.keys.signer.public_key)
    findings = verify_receipt(answer.json(), key=key)
    assert [finding.text for finding in findings if not finding.ok] == []
    told = text_in(ben.get("e", CHAIR, "receipt").text)
    assert "The election closed with 1 ballot." in told
    assert answer.json()["closing"]["signature"] in told
    assert format_code(key) in told


# The overview once showed the fingerprint without dashes, and could not be compared by eye.
def test_every_page_shows_the_fingerprint_in_the_same_way(app: VotingApp, ben: Voter) -> None:
    close(app)
    shown = format_fingerprint(app.world.service.context.keys.signer.public_key)
    for page in ("", "receipt", "published"):
        assert f">{shown}<" in ben.get("e", CHAIR, *([page] if page else [])).text, page
    assert f">{shown}<" in ben.get("check").text


# The instructions once named receipt.json, and the file was saved as "receipt of Chair.json".
@pytest.mark.parametrize(
    ("page", "file"),
    [("receipt", ["receipt.json"]), ("published", ["published", "publication.json"])],
)
def test_instructions_name_the_file_as_it_is_downloaded(
    app: VotingApp, ben: Voter, page: str, file: list[str]
) -> None:
    close(app)
    disposition = ben.get("e", CHAIR, *file).headers["content-disposition"]
    saved_as = disposition.partition('filename="')[2].partition('"')[0]
    command = text_in(ben.get("e", CHAIR, page).text).partition("python3 checker.py ")[2]
    assert saved_as in command.split()[:3]


def test_who_has_not_voted_is_led_to_the_ballot(app: VotingApp, ben: Voter) -> None:
    answer = app.voter("Fay").get("e", CHAIR, "receipt")
    assert (answer.status_code, answer.headers["location"]) == (303, "/elections/e/Chair/ballot")
    assert app.voter("Fay").get("e", CHAIR, "receipt.json").status_code == 404


def test_a_receipt_is_for_who_has_signed_in(app: VotingApp, ben: Voter) -> None:
    for page in ("receipt", "receipt.json", "ballot"):
        assert (
            app.voter()
            .get("e", CHAIR, page)
            .headers["location"]
            .startswith("/elections/sign-in?next=")
        )


# What is left in a browser that others use would tell them how its owner voted.
def test_a_receipt_names_the_draft_that_has_been_cast(ben: Voter) -> None:
    receipt = ben.get("e", CHAIR, "receipt").text
    paper = ben.get("e", CHAIR, "ballot").text
    draft = receipt.partition('data-ballot-cast="')[2].partition('"')[0]
    basis = receipt.partition('data-version="')[2].partition('"')[0]
    assert draft
    assert draft in paper
    assert basis in paper
    assert "ballot/drafts.js" in receipt
