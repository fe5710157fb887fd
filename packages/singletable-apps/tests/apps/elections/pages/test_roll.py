"""The roll of an election: import, invitations and cards for owners; personal links for voters."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from io import BytesIO

import pytest
from fastapi.routing import APIRoute
from openpyxl import Workbook
from pydantic import JsonValue

from singletable_apps.elections.entities import Electorate
from singletable_apps.elections.pages import links
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import RARE_WEIGHT
from singletable_apps.elections.rules.roll import RollLine
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.shared.outbox import note_bounce
from singletable_apps.shared.spreadsheets import write_table
from tests.apps.elections.pages.client import CHAIR, Browser, PagesApp, ballot_fields, url
from tests.apps.support.browser import FieldValue
from tests.apps.support.elections.world import open_store
from tests.apps.support.html import text_in
from tests.apps.support.mailbox import deliver

ROLL = "Cleo <cleo@example.org>\nDan <dan@example.org>\nEve\n"

BOUNCE = b"""\
Content-Type: multipart/report; report-type=delivery-status; boundary="=="

--==
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Action: failed
Diagnostic-Code: 552 mailbox full
--==
Content-Type: message/rfc822

Message-ID: <SENT@example.org>

--==--
"""


def _preview(browser: Browser, text: str = "", mode: str = "add", data: bytes = b"") -> str:
    page = browser.post(
        url("e", CHAIR, "roll"),
        {"people": text, "mode": mode},
        files={"file": ("list.xlsx" if data else "", data)},
    )
    return page.text


@pytest.fixture
def owner(app: PagesApp) -> Browser:
    """Return the owner of an open secret election with a roll of three."""
    ada = app.browser(
        app.launch("Red", "Green", secret_ballot=True, electorate=Electorate.ACCOUNTS)
    )
    lifecycle, user = app.world.service.lifecycle, app.user("Ada")
    lifecycle.delete(user, CHAIR)
    assert ada.submit(ada.get("new"), name=CHAIR).status_code == 303
    assert "roll is empty" in ada.read("e", CHAIR, "voters")
    lifecycle.set_candidates(user, CHAIR, ["Red", "Green"])
    assert "Add voters" in ada.read("e", CHAIR)
    page = ada.post(
        url("e", CHAIR, "roll"), {"people": ROLL, "mode": "add"}, files={"file": ("", b"")}
    )
    assert app.election(CHAIR).voter_count == 0
    assert ada.submit(page, "/save").status_code == 303
    launch = ada.get("e", CHAIR, "launch")
    assert "Only 3 people can vote" in text_in(launch.text)
    assert ada.submit(launch, how="editable").status_code == 303
    return ada


def _code(app: PagesApp, name: str) -> str:
    service = app.world.service
    record = service.context.book.record(app.election(CHAIR))
    [voter] = [each for each in record.roll.values() if each.name == name]
    return service.rolls.code(record.election, voter)


def _vote(browser: Browser, code: str, **ranks: str) -> str:
    """Vote, and return the page that shows the ballot once."""
    fields = ballot_fields(browser.get("v", code, "ballot"))
    fields |= {f"rank.{name}": rank for name, rank in ranks.items()}
    review = browser.post(url("v", code, "ballot"), fields)
    assert "Cast this ballot?" in review.text
    receipt = browser.submit(review, "/ballot", sure="yes")
    assert (receipt.status_code, receipt.headers["cache-control"]) == (200, "no-store")
    return receipt.text


def test_preview_shows_every_problem_and_what_would_change(owner: Browser, app: PagesApp) -> None:
    text = text_in(
        _preview(owner, "cleo@example.org\nFinn <finn>\nGus,gus@example.org,0\nEve\neve")
    )
    for expected in ("2 problems", "Line 2", "Line 3", "1 duplicate was merged", "As before 2"):
        assert expected in text
    text = text_in(_preview(owner, "dan <d@example.org>"))
    assert "Dan is on the roll with another address: dan@example.org." in text
    assert "Save the roll" in text
    text = text_in(_preview(owner, "Ray <cleo@example.org>\nSue <cleo@example.org>"))
    assert "“Ray” has the address of “Cleo”, who is on the roll." in text
    assert "“Sue” has the same address as “Ray” on line 1." in text
    assert "Save the roll" in text
    text = text_in(_preview(owner, "Name,Email,Votes\nCleo,CLEO@example.org,"))
    assert "Cleo cleo@example.org CLEO@example.org – 1 Changed" in text
    text = text_in(_preview(owner, "Finn <finn@example.org>", mode="replace"))
    assert "Added 1" in text
    assert "Removed 3" in text
    assert app.election(CHAIR).voter_count == 3


def _workbook() -> bytes:
    """Return a workbook as clubs have it: a cover sheet, a title, and headings in German."""
    book = Workbook()
    book.worksheets[0].title = "Deckblatt"
    book.worksheets[0].append(["Segelclub Seeadler e.V."])
    sheet = book.create_sheet("Mitglieder")
    sheet.append(["Segelclub Seeadler e.V."])
    sheet.append([])
    sheet.append(["Mitgl.-Nr.", "Vorname", "Nachname", "E-Mail-Adresse", "Abteilung", "Stimmen"])
    sheet.append([17, "Finn", "Ray", "mailto:finn@example.org", "Segeln", 2.0])
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def test_spreadsheet_is_read_and_odd_files_are_explained(owner: Browser) -> None:
    table = b"".join(write_table(["Member", "Mail"], [("Finn", "finn@example.org")], "xlsx"))
    assert "Added 1" in text_in(_preview(owner, data=table))
    assert "Added 1" in text_in(_preview(owner, data=b"finn@example.org"))
    text = text_in(_preview(owner, data=_workbook()))
    assert "This is what is in list.xlsx, sheet “Mitglieder”." in text
    for expected in (
        "Finn Ray finn@example.org Segeln 2 Added",
        "The file has other sheets, too: “Deckblatt”.",
        "These lines are above the headings: Segelclub Seeadler e.V.",
        "Nothing is taken from “Mitgl.-Nr.”.",
    ):
        assert expected in text
    text = text_in(_preview(owner, "Who;Where\nA;b;c\nD;e;f"))
    assert "No row of headings was recognized." in text
    text = text_in(_preview(owner, "Rufname;Mail\nA;a@x.org"))
    assert "A a@x.org" in text
    text = text_in(_preview(owner, "Spitzname;Mail\nA;a@x.org"))
    assert "1 person has no name. The e-mail address is shown instead" in text
    assert "not a CSV or XLSX" in text_in(_preview(owner, data=b"%PDF-1.7"))
    assert "Paste a list" in text_in(_preview(owner))


def test_owner_invites_reminds_and_prints_cards(owner: Browser, app: PagesApp) -> None:
    assert "Invite 2 people" in owner.read("e", CHAIR)
    invite = owner.get("e", CHAIR, "roll", "invite")
    assert "1 person without an e-mail address needs a card." in text_in(invite.text)
    assert owner.flash(owner.submit(invite)) == "2 invitations on the way."
    assert "On the way" in owner.read("e", CHAIR, "voters")
    assert "You run this election." in owner.read("e", CHAIR)
    app.world.service.rolls.note_ends()
    deliver(app.world.service)
    assert {email.to for email in app.emails()} == {"cleo@example.org", "dan@example.org"}
    remind = owner.get("e", CHAIR, "roll", "remind")
    assert owner.flash(owner.submit(remind)) == "2 reminders on the way."
    again = owner.flash(owner.submit(owner.get("e", CHAIR, "roll", "remind")))
    assert "nobody to write to now. 2 people were reminded on" in again
    text = owner.read("e", CHAIR, "voters")
    assert "2 people were reminded on" in text
    assert "Remind 2" not in text
    assert "2 people get an e-mail that voting has closed." in owner.read("e", CHAIR, "finalize")
    clock, driver = app.world.clock, app.world.driver
    clock.advance(minutes=1)
    app.world.service.rolls.note_ends()
    deliver(app.world.service)
    clock.advance(minutes=1)
    sent = f"{app.election(CHAIR).election_id}.reminder-{clock():%Y-%m-%d}.1"
    assert note_bounce(open_store(driver), BOUNCE.replace(b"SENT", sent.encode()), clock())
    text = owner.read("e", CHAIR, "voters")
    assert "1 person’s e-mail bounced" in text
    assert "reminder Bounced 552 mailbox full" in text
    cards = owner.get("e", CHAIR, "roll", "cards", query="?only=paper").text
    assert cards.count("<svg") >= 1
    assert _code(app, "Eve") in cards
    assert _code(app, "Dan") not in cards


def test_owner_edits_email_texts(owner: Browser) -> None:
    page = owner.get("e", CHAIR, "roll", "emails", "reminder")
    wrong = owner.submit(page, text="Hello {nam}", go="save")
    assert "{nam} is not a placeholder" in text_in(wrong.text)
    assert owner.submit(wrong, text="{link}", go="save").status_code == 303
    page = owner.get("e", CHAIR, "roll", "emails", "reminder")
    assert owner.submit(page, go="default").status_code == 303
    assert "Use the default" not in owner.read("e", CHAIR, "roll", "emails", "reminder")


def test_voter_votes_with_a_link_and_without_an_account(owner: Browser, app: PagesApp) -> None:
    visitor, code = app.browser(), _code(app, "Eve")
    entered = visitor.submit(visitor.get("v"), code=code.lower())
    assert entered.headers["location"] == url("v", code)
    assert "Voting as Eve" in visitor.read("v", code)
    receipt = _vote(visitor, code, Red="1", Green="2")
    assert "Cast by Eve" in text_in(receipt)
    assert _receipt(receipt)["ranking"] == [["Red"], ["Green"]]
    assert "Counted after voting closes" in visitor.read("v", code, "tally")
    assert "Eve" in owner.read("e", CHAIR, "voted")
    _vote(visitor, code, Red="2", Green="1")
    assert visitor.submit(visitor.get("v", code, "ballot", "withdraw")).status_code == 303
    assert "No one has voted yet" in owner.read("e", CHAIR, "voted")


def _receipt(page: str) -> dict[str, JsonValue]:
    """Return the receipt that is in the page."""
    data = page.partition('href="data:application/json;base64,')[2].partition('"')[0]
    receipt: dict[str, JsonValue] = json.loads(b64decode(data))
    return receipt


def test_owner_with_the_code_of_a_voter_learns_nothing_about_a_secret_ballot(
    owner: Browser, app: PagesApp
) -> None:
    visitor, code = app.browser(), _code(app, "Eve")
    owner.get("e", CHAIR)  # shows the message about the launch
    paths = [
        route.path.removeprefix("/v/{code}").strip("/").split("/")
        for route in links.router.routes
        if isinstance(route, APIRoute) and "GET" in (route.methods or ())
        if route.path.startswith("/v/{code}") and not route.path.endswith("/events")
    ]
    assert ["receipt.json"] in paths

    def look(receipt: str) -> list[str]:
        found = [owner.get("v", code, *filter(None, path)).text for path in paths]
        assert str(_receipt(receipt)["confirmation"]) not in "".join(found)
        return [re.sub(r"[0-9a-f]{32}|draftVersion[^,}]*", "", text) for text in found]

    seen = look(_vote(visitor, code, Red="1", Green="2"))
    assert seen == look(_vote(visitor, code, Red="2", Green="1"))
    assert "A ballot was cast with your link or code" in seen[0]
    assert owner.get("v", code, "receipt.json").status_code == 403
    assert owner.submit(owner.get("e", CHAIR, "fix")).status_code == 303
    text = owner.read("v", code)
    assert "your personal link doesn’t show it" in text
    assert "Red" not in text


def test_results_of_few_secret_ballots_are_hidden_and_of_three_shown_by_link(
    owner: Browser, app: PagesApp
) -> None:
    visitor, codes = app.browser(), [_code(app, name) for name in ("Cleo", "Dan", "Eve")]
    for code in codes:
        _vote(visitor, code, Red="1")
    close = owner.get("e", CHAIR, "finalize")
    assert "Only 3 people voted" in text_in(close.text)
    assert "everyone here sees the results" in close.text
    assert owner.submit(close).status_code == 303
    for browser, page in ((visitor, ("v", codes[0])), (owner, ("e", CHAIR))):
        text = browser.read(*page, "tally")
        assert "Red wins" in text
        assert "Everyone voted alike" in text
    assert visitor.get("v", codes[0], "published", "publication.json").status_code == 200


def test_results_of_two_secret_ballots_are_hidden(owner: Browser, app: PagesApp) -> None:
    visitor = app.browser()
    for name in ("Cleo", "Dan"):
        _vote(visitor, _code(app, name), Red="1")
    close = owner.get("e", CHAIR, "finalize")
    assert "everyone here sees the results" not in close.text
    closed = owner.submit(close)
    assert owner.flash(closed) == f"“{CHAIR}” is closed."
    assert "Too few ballots" in owner.read("e", CHAIR, "tally")
    assert "Closed without results" in owner.read("e", CHAIR)
    for path in (("tally", "rankings"), ("tally", "result.json"), ("published",)):
        for browser, page in ((owner, ("e", CHAIR)), (visitor, ("v", _code(app, "Eve")))):
            assert browser.get(*page, *path).status_code == 409


def test_launch_ballot_and_results_say_that_totals_can_show_a_rare_weight(
    app: PagesApp, ada: Browser
) -> None:
    lifecycle, user = app.world.service.lifecycle, app.user("Ada")
    lifecycle.create(user, CHAIR, ElectionSettings(secret_ballot=True))
    lifecycle.set_candidates(user, CHAIR, ["Red", "Green"])
    people = [RollLine(1, "Eve", weight=5), *(RollLine(1, name) for name in "ABC")]
    app.world.service.rolls.save(user, CHAIR, people, replaces=True)
    launch = ada.get("e", CHAIR, "launch")
    assert RARE_WEIGHT in text_in(launch.text)
    ada.submit(launch, how="fixed")
    for name in ("Eve", *"ABC"):
        assert RARE_WEIGHT in text_in(_vote(app.browser(), _code(app, name), Red="1"))
    lifecycle.close(user, CHAIR)
    assert "even these can show" in ada.read("e", CHAIR, "tally")
    public = lifecycle.share_result(user, CHAIR, is_public=True)
    page = app.browser().open(f"/elections/r/{public.election_id}")
    assert "the places show votes, not people" in page.text


def test_owner_corrects_someone_on_the_roll(owner: Browser, app: PagesApp) -> None:
    page = owner.get("e", CHAIR, "roll", "3")
    twice = owner.submit(page, name="Dan", email="dan@example.org")
    assert "“Dan” is on the roll with this address already" in text_in(twice.text)
    sent = owner.submit(page, email="dan@example.org")
    assert owner.flash(sent) == "Saved: Eve. Same address: “Dan”."
    page = owner.get("e", CHAIR, "roll", "3")
    sent = owner.submit(page, name="Eve Ng", email="eve@example.org", group="Rowing")
    assert owner.flash(sent) == "Saved: Eve Ng."
    app.world.service.rolls.note_ends()
    deliver(app.world.service)
    assert {email.to for email in app.emails()} == {"dan@example.org", "eve@example.org"}
    for part in ("Eve Ng", "eve@example.org", "Rowing"):
        assert part in owner.read("e", CHAIR, "voters")
    _vote(app.browser(), _code(app, "Dan"), Red="1")
    text = owner.get("e", CHAIR, "roll", "2").text
    assert [f'name="{name}"' in text for name in ("name", "email", "group")] == [False, False, True]


def test_one_click_unsubscribes_and_the_page_has_one_button(owner: Browser, app: PagesApp) -> None:
    service = app.world.service
    election, voter = service.rolls.open_link(_code(app, "Dan"))
    link = url("unsubscribe", service.rolls.code(election, voter.entry, "unsubscribe"))
    mail_program = app.browser()
    assert "No more reminders" in text_in(mail_program.open(link).text)
    # RFC 8058: no cookies, no origin.
    app.activate()
    done = mail_program.http.post(link, content=b"List-Unsubscribe=One-Click")
    assert done.status_code == 200
    assert "no reminders" in owner.read("e", CHAIR, "voters")


def test_others_see_only_how_many_are_on_the_roll(owner: Browser, app: PagesApp) -> None:
    ben = app.register("Ben", Role.AUDITOR)
    text = ben.read("e", CHAIR, "voters")
    assert "3 people can vote" in text
    assert "Cleo" not in text
    for path in (("roll",), ("roll", "cards"), ("roll", "emails", "receipt"), ("roll", "invite")):
        assert ben.get("e", CHAIR, *path).status_code == 403


def test_owner_switches_between_roll_and_accounts_before_the_launch(
    app: PagesApp, ada: Browser
) -> None:
    assert ada.submit(ada.get("new"), name=CHAIR).status_code == 303

    def choose(**fields: FieldValue) -> None:
        assert (
            ada.submit(ada.get("e", CHAIR, "voters", "list"), "/list", **fields).status_code == 303
        )

    choose(who="everybody")
    assert app.election(CHAIR).electorate is Electorate.ACCOUNTS
    choose(who="roll")
    assert app.election(CHAIR).electorate is Electorate.ROLL
