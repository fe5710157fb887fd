"""Whoever has a receipt can have it checked, and whatever else they bring is refused in words."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from singletable_apps.elections.pages.receipts import LARGEST
from singletable_apps.elections.proofs import Signer, fingerprint, format_code
from tests.apps.elections.pages.client import CHAIR, Voter, VotingApp
from tests.apps.support.html import text_in

Receipt = dict[str, Any]


@pytest.fixture(scope="module")
def app() -> VotingApp:
    """An election of one secret ballot, which Ben has cast, and which has closed."""
    app = VotingApp()
    owner = app.launch("Cleo", "Dan", secret_ballot=True)
    app.voter("Ben").cast({"Dan": "1"})
    app.world.service.lifecycle.close(owner, CHAIR)
    return app


@pytest.fixture(scope="module")
def receipt(app: VotingApp) -> Receipt:
    found: Receipt = app.voter("Ben").get("e", CHAIR, "receipt.json").json()
    return found


@pytest.fixture
def stranger(app: VotingApp) -> Voter:
    return app.voter()


def pasted(who: Voter, text: str) -> httpx2.Response:
    return who.post("check", data={"receipt": text})


def uploaded(who: Voter, content: bytes) -> httpx2.Response:
    return who.post("check", data={"receipt": ""}, files={"file": ("r.json", content)})


def test_a_receipt_is_found_good_as_text_and_as_a_file(
    app: VotingApp, stranger: Voter, receipt: Receipt
) -> None:
    text = json.dumps(receipt, ensure_ascii=False)
    for answer in (pasted(stranger, text), uploaded(stranger, b"\xef\xbb\xbf" + text.encode())):
        told = text_in(answer.text)
        assert answer.status_code == 200
        assert "Everything holds Receipt of “Chair”" in told
        assert "Does not hold" not in told
        key = app.world.service.context.keys.signer.public_key
        assert format_code(fingerprint(key)) in told


def test_a_receipt_from_before_the_close_holds_so_far(receipt: Receipt, stranger: Voter) -> None:
    early = json.dumps({**receipt, "closing": None, "proof": None})
    told = text_in(pasted(stranger, early).text)
    assert "So far, everything holds" in told
    assert "nothing is signed yet" in told


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ranking": [["Cleo"]]}, "does not give the confirmation of this receipt"),
        ({"name": "Another"}, "The receipt is of 'Another', and 'Chair' was closed."),
        ({"more": "<b>bold</b>"}, "has fields that no receipt has"),
        ({"ranking": "Dan"}, "This is no receipt"),
    ],
)
def test_a_receipt_that_was_changed_does_not_hold(
    receipt: Receipt, stranger: Voter, change: Receipt, said: str
) -> None:
    told = text_in(pasted(stranger, json.dumps({**receipt, **change})).text)
    assert "Something does not hold" in told
    assert said in told


def test_a_receipt_signed_by_another_key_does_not_hold_here(
    receipt: Receipt, stranger: Voter
) -> None:
    other, statement = Signer(b"x" * 32), receipt["closing"]["statement"]
    closing = {
        "statement": statement,
        "signature": other.sign(statement),
        "public_key": other.public_key,
    }
    told = text_in(pasted(stranger, json.dumps({**receipt, "closing": closing})).text)
    assert "Something does not hold" in told
    assert "Does not hold The key is" in told


JUNK = {
    "nothing": (b"", "Paste the text of your receipt"),
    "spaces": (b" \r\n ", "Paste the text of your receipt"),
    "words": (b"hello", "line 1, column 1 cannot be read"),
    "a half": (b'{"format": ', "not the whole of it"),
    "a list": (b"[1, 2]", "A receipt begins with {"),
    "a print": (b"%PDF-1.7 ...", "not a print or a picture"),
    "a picture": (b"\x89PNG\r\n\0\0\0", "not a print or a picture"),
    "no UTF-8": (b'{"a": "\xff"}', "no text in UTF-8"),
    "a name twice": (b'{"a": 1, "a": 2}', "a name is in it twice"),
    "no number": (b'{"a": NaN}', "NaN is no number of JSON"),
    "depths": (b'{"a":' + b"[" * 100_000, "nested far too deeply"),
    "a number of a million digits": (b'{"a": ' + b"9" * 400_000 + b"}", "This is no receipt"),
    "a publication": (
        b'{"format": "singletable election publication 1"}',
        "This is what was published of an election",
    ),
    "too much": (b'"' + b"a" * LARGEST + b'"', "at most 512 kB"),
}


@pytest.mark.parametrize("name", JUNK)
def test_junk_is_refused_in_words(stranger: Voter, name: str) -> None:
    content, said = JUNK[name]
    answer = uploaded(stranger, content)
    assert answer.status_code == 422
    assert said in text_in(answer.text)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", b"junk"),
        ("multipart/form-data; boundary=x", b"--x\r\nno header"),
        ("multipart/form-data; boundary=x", b"--x\r\n\r\nunnamed\r\n--x--"),
        ("text/plain", b"\xff\xfe"),
        ("", b"receipt"),
    ],
)
def test_a_form_that_is_none_is_answered_as_an_empty_one(
    stranger: Voter, kind: str, body: bytes
) -> None:
    stranger.http.headers["content-type"] = kind
    answer = stranger.post("check", content=body)
    assert answer.status_code == 422, answer.text


def test_a_confirmation_is_looked_up_as_people_type_it(app: VotingApp, receipt: Receipt) -> None:
    typed = format_code(receipt["confirmation"]).upper().replace("-", " ")
    sent = {"election": " chair ", "confirmation": typed}
    told = text_in(app.voter("Fay").post("check", "confirmation", data=sent).text)
    assert "The confirmation is among those signed (ballots: 1)." in told
    assert "Does not hold" not in told


@pytest.mark.parametrize(
    ("election", "confirmation", "status", "said"),
    [
        (CHAIR, "a" * 52, 200, "is not among those signed"),
        (CHAIR, "a" * 51, 422, "A code has 52 letters and digits, and this one has 51."),
        (CHAIR, "", 422, "Please fill this in."),
        ("Nowhere", "a" * 52, 422, "There is no election 'Nowhere'."),
    ],
)
def test_a_confirmation_that_is_not_there_is_said_to_be_so(
    app: VotingApp, election: str, confirmation: str, status: int, said: str
) -> None:
    sent = {"election": election, "confirmation": confirmation}
    answer = app.voter("Fay").post("check", "confirmation", data=sent)
    assert answer.status_code == status
    assert said in text_in(answer.text)


def test_confirmations_are_looked_up_by_who_has_signed_in(stranger: Voter) -> None:
    answer = stranger.post("check", "confirmation", data={"election": CHAIR, "confirmation": "a"})
    assert answer.headers["location"].startswith("/elections/sign-in")


def test_the_page_says_whom_one_trusts_and_how_not_to(stranger: Voter) -> None:
    told = text_in(stranger.get("check").text)
    assert "its answer is worth as much as your trust in it" in told
    assert stranger.http.get("/api/elections/checker.py").status_code == 200
