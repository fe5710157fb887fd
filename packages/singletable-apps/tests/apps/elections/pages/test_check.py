"""The check page: receipts and tracking codes, and clear messages for everything else."""

from __future__ import annotations

import html
import json
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import httpx2
import pytest

from singletable_apps.elections.pages.receipts import MAX_RECEIPT_SIZE
from singletable_apps.elections.proofs.encoding import format_code
from singletable_apps.elections.proofs.keys import Signer, fingerprint
from singletable_apps.shared.pages import LocalTime
from tests.apps.elections.pages.client import CHAIR, Browser, PagesApp
from tests.apps.support.html import text_in

CHECK = "/elections/check"
Receipt = dict[str, Any]


@pytest.fixture(scope="module")
def app() -> PagesApp:
    """Return a closed election with one secret ballot, which Ben cast."""
    app = PagesApp.create()
    owner = app.launch("Cleo", "Dan", secret_ballot=True)
    app.register("Ben").cast(Dan="1")
    app.world.service.lifecycle.close(owner, CHAIR)
    return app


@pytest.fixture(scope="module")
def receipt(app: PagesApp) -> Receipt:
    found: Receipt = app.browser(app.user("Ben")).get("e", CHAIR, "receipt.json").json()
    return found


@pytest.fixture
def visitor(app: PagesApp) -> Browser:
    return app.browser()


def paste(visitor: Browser, text: str) -> httpx2.Response:
    return visitor.post(CHECK, data={"receipt": text})


def upload(visitor: Browser, content: bytes) -> httpx2.Response:
    return visitor.post(CHECK, data={"receipt": ""}, files={"file": ("r.json", content)})


def outcome_of(answer: httpx2.Response) -> str:
    """Return the headline of the result of a check."""
    return answer.text.partition('<h2 id="')[2].partition(">")[2].partition("<")[0]


def test_receipt_is_valid_as_text_and_as_a_file(
    app: PagesApp, visitor: Browser, receipt: Receipt
) -> None:
    text = json.dumps(receipt, ensure_ascii=False)
    for answer in (paste(visitor, text), upload(visitor, b"\xef\xbb\xbf" + text.encode())):
        assert answer.status_code == 200
        assert outcome_of(answer) == "Your ballot was counted"
        assert "is-wrong" not in answer.text
        key = app.world.service.context.keys.signer.public_key
        assert format_code(fingerprint(key)) in answer.text


# The page once said that an election that had closed meanwhile was still open.
def test_receipt_from_before_the_close_tells_what_has_happened_since() -> None:
    app = PagesApp.create()
    owner, visitor = app.launch("Cleo", "Dan"), app.browser()
    ben = app.register("Ben")

    def check(receipt: Receipt) -> tuple[str, bool, str]:
        answer = paste(visitor, json.dumps(receipt))
        return outcome_of(answer), "is-wrong" in answer.text, text_in(answer.text)

    ben.cast(Dan="1")
    replaced: Receipt = ben.get("e", CHAIR, "receipt.json").json()
    ben.cast(Cleo="1")
    current: Receipt = ben.get("e", CHAIR, "receipt.json").json()
    title, is_wrong, text = check(current)
    assert (title, is_wrong) == ("Your receipt is valid", False)
    assert "The election is still open." in text
    app.world.service.lifecycle.close(owner, CHAIR)
    title, is_wrong, text = check(current)
    assert (title, is_wrong) == ("Your ballot was counted", False)
    assert "has closed since you downloaded this receipt" in text
    assert check(replaced)[:2] == ("This ballot was not counted", True)
    title, _, text = check({**current, "ranking": [["Dan"]]})
    assert title == "This receipt doesn’t check out"
    assert "Failed The ballot Dan does not match" in text
    assert "OK The tracking code is in the signed result." in text
    elsewhere = PagesApp.create().browser()
    assert "that is not on this site" in text_in(paste(elsewhere, json.dumps(current)).text)


def test_check_page_has_no_quotes_or_times_for_programs(
    app: PagesApp, receipt: Receipt, visitor: Browser
) -> None:
    closed_at = receipt["closing"]["statement"]["closed_at"]
    page = html.unescape(paste(visitor, json.dumps(receipt)).text.partition("<form")[0])
    assert closed_at not in page
    day = LocalTime(datetime.fromisoformat(closed_at), ZoneInfo("UTC")).long
    assert f"The closing statement of “Chair” of {day} (ballots: 1)" in page
    changed = {**receipt["closing"], "statement": {**receipt["closing"]["statement"]}}
    changed["statement"]["closed_at"] = "some day"
    wrong = text_in(paste(visitor, json.dumps({**receipt, "closing": changed})).text)
    assert "Failed The closing statement of “Chair” of “some day”" in wrong


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"ranking": [["Cleo"]]}, "Failed The ballot Cleo does not match the tracking code"),
        ({"name": "Another"}, "Failed The election that closed is not the one"),
        ({"more": "<b>bold</b>"}, "has unknown fields"),
        ({"ranking": "Dan"}, "This is not a receipt"),
    ],
)
def test_changed_receipt_fails_with_the_reason(
    receipt: Receipt, visitor: Browser, change: Receipt, reason: str
) -> None:
    answer = paste(visitor, json.dumps({**receipt, **change}))
    assert outcome_of(answer) == "This receipt doesn’t check out"
    assert reason in text_in(answer.text)


def test_receipt_signed_with_another_key_fails(receipt: Receipt, visitor: Browser) -> None:
    other, statement = Signer(b"x" * 32), receipt["closing"]["statement"]
    closing = {
        "statement": statement,
        "signature": other.sign(statement),
        "public_key": other.public_key,
    }
    answer = paste(visitor, json.dumps({**receipt, "closing": closing}))
    assert outcome_of(answer) == "This receipt doesn’t check out"
    assert "Failed This is not the key" in text_in(answer.text)


INCOMPLETE = "This is not a complete receipt."
JUNK = {
    "nothing": (b"", "Choose your receipt file, or paste its text."),
    "spaces": (b" \r\n ", "Choose your receipt file, or paste its text."),
    "words": (b"hello", INCOMPLETE),
    "a half": (b'{"format": ', INCOMPLETE),
    "a list": (b"[1, 2]", "A receipt starts with {"),
    "a print": (b"%PDF-1.7 ...", "not a PDF or an image"),
    "a picture": (b"\x89PNG\r\n\0\0\0", "not a PDF or an image"),
    "no UTF-8": (b'{"a": "\xff"}', INCOMPLETE),
    "a name twice": (b'{"a": 1, "a": 2}', INCOMPLETE),
    "no number": (b'{"a": NaN}', INCOMPLETE),
    "depths": (b'{"a":' + b"[" * 100_000, INCOMPLETE),
    "a number of a million digits": (b'{"a": ' + b"9" * 400_000 + b"}", INCOMPLETE),
    "a publication": (
        b'{"format": "singletable election publication 1"}',
        "This is the published data of an election",
    ),
    "too much": (b'"' + b"a" * MAX_RECEIPT_SIZE + b'"', "at most 512 kB"),
}


@pytest.mark.parametrize("name", JUNK)
def test_junk_gets_a_clear_message(visitor: Browser, name: str) -> None:
    content, message = JUNK[name]
    answer = upload(visitor, content)
    assert answer.status_code == 422
    text = text_in(answer.text)
    assert message in text
    # The JSON parser's own messages mean nothing to voters.
    assert "column" not in text
    assert "JSON" not in text


def test_check_page_offers_the_offline_checker(visitor: Browser) -> None:
    page = visitor.get("check").text
    assert "What this check proves" in page
    assert 'href="/api/elections/checker.py"' in page
    assert visitor.http.get("/api/elections/checker.py").status_code == 200
