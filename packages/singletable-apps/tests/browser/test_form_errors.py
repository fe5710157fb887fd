"""Errors in every form of elections: shown beside the field, with the input kept, nothing saved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from playwright.sync_api import Locator, expect

from singletable_apps.elections.rules.emails import EmailPurpose
from tests.apps.support.mailbox import read_outbox
from tests.browser.conftest import OpenPage
from tests.browser.site import Site

PASSWORD = "lantern copper river"
DOOR, CLUB = "e/Color%20of%20the%20door", "e/Harbor%20club%20board"
# Skip the browser's own validation, so that the server validates.
SEND = "form => { form.noValidate = true; form.requestSubmit() }"


@dataclass(frozen=True)
class InvalidInput:
    """Invalid input: the user, the page, the values, and the field that is wrong."""

    user: str | None
    page: str
    typed: Mapping[str, str]
    fault: str
    ticked: Mapping[str, str] = field(default_factory=dict[str, str])
    # The URL of the form, if it is not that of the page.
    form: str = ""

    @property
    def to(self) -> str:
        return self.form or self.page


NEWCOMER = {"name": "Zoe", "email": "zoe@example.org", "password": PASSWORD}
LATE = {"no_voting_before": "2090-01-02T10:00", "no_voting_after": "2090-01-01T10:00"}
ABOUT, CURRENT = "account/details", "account/password"
INVALID_INPUTS = (
    InvalidInput(None, "sign-in", {"who": "Ada", "password": ""}, "password"),
    InvalidInput(None, "register", {**NEWCOMER, "email": "nowhere"}, "email"),
    InvalidInput(None, "forgot", {"who": ""}, "who"),
    InvalidInput(None, "reset", {"password": "short"}, "password"),
    InvalidInput(None, "check", {"receipt": "{not a receipt"}, "receipt"),
    InvalidInput(None, "sandbox", {"ballots": "4:"}, "ballots"),
    InvalidInput("Ada", "account/tokens/new", {"name": ""}, "name", {"scopes": "read"}),
    InvalidInput("Ada", "account", {"name": "Grace", "email": "a@example.org"}, "name", form=ABOUT),
    InvalidInput("Ada", "account", {"current": "no", "new": PASSWORD}, "current", form=CURRENT),
    InvalidInput("Ada", "people/Leslie", {"email": "nowhere"}, "email"),
    InvalidInput("Ada", "new", {"name": "treasurer"}, "name"),
    InvalidInput("Ada", "new", {"name": "Late", **LATE}, "no_voting_after"),
    InvalidInput("Donald", f"{DOOR}/settings", {"name": "Treasurer"}, "name"),
    InvalidInput("Donald", f"{DOOR}/candidates", {"candidates": "A\na"}, "candidates"),
    InvalidInput(
        "Donald", f"{DOOR}/voters/list", {"voters": "Ada\nX"}, "voters", {"who": "listed"}
    ),
    InvalidInput("Donald", f"{DOOR}/launch", {}, "how"),
    InvalidInput("Donald", f"{DOOR}/candidates/edit?candidate=Blue", {"name": "Green"}, "name"),
    InvalidInput("Donald", f"{DOOR}/candidates/edit?candidate=Blue", {"alt": "a\u200bb"}, "alt"),
    InvalidInput("Donald", f"{DOOR}/method", {"quorum": "most"}, "quorum"),
    InvalidInput("Donald", f"{DOOR}/copy", {"name": "Treasurer"}, "name"),
    InvalidInput("Donald", f"{DOOR}/questions", {"name": "Treasurer"}, "name"),
    InvalidInput("Donald", f"{DOOR}/managers", {"managers": "Alan\nx@example.org"}, "managers"),
    InvalidInput("Donald", f"{DOOR}/notes", {"notes": "x" * 4_001}, "notes"),
    InvalidInput("Ada", "e/Board%202026/delete", {"election": "Board"}, "election"),
    InvalidInput("Ada", f"{CLUB}/roll", {"people": ""}, "people"),
    InvalidInput("Ada", f"{CLUB}/roll/1", {"email": "nowhere"}, "email"),
    *(
        InvalidInput("Ada", f"{CLUB}/roll/emails/{purpose}", {"subject": ""}, "subject")
        for purpose in EmailPurpose
    ),
)


# Forms in which every choice is valid.
CHOICES = {"people", "people/*/role"}
# A ballot to try and the codes of cards, whose errors are checked without a browser.
ELSEWHERE = {"e/*/review", "v"}
SHAPE = re.compile(r"(e|people|roll(?=/\d))/[^/]+")


def _shape(form: str) -> str:
    return SHAPE.sub(r"\1/*", form)


def test_every_form_with_text_fields_is_tested(site: Site) -> None:
    people = {wrong.user for wrong in INVALID_INPUTS} | {"Leslie"}
    there = {
        _shape(to.removeprefix("/elections/"))
        for name in people
        for page in site.crawl_as(name)
        for to, fields in page.forms.items()
        if to.startswith("/elections/") and fields
    }
    # The reset form is linked from an e-mail only, and ballots have their own test below.
    tried = {_shape(wrong.to) for wrong in INVALID_INPUTS} - {"reset"} | {"e/*/ballot"} | CHOICES
    assert there == tried | ELSEWHERE


# Without scripts, so that the page is what the server sent.
def test_errors_are_shown_beside_their_fields(open_page: OpenPage, site: Site) -> None:
    page = open_page(java_script_enabled=False)
    site.sample.elections.auth.request_reset("Leslie")
    before = site.events
    for wrong in INVALID_INPUTS:
        site.sign_in(page, wrong.user)
        at = _reset_link(site) if wrong.page == "reset" else f"/elections/{wrong.page}"
        page.goto(site.address + at)
        form = page.locator(f"form[action='/elections/{wrong.to}']")
        _fill(form, wrong)
        with page.expect_navigation():
            form.evaluate(SEND)
        form = page.locator(f"form[action='/elections/{wrong.to}']")
        error = form.locator(f"[id='f-{wrong.fault}-error']")
        expect(error, str(wrong)).to_be_visible()
        expect(form.locator(".field-error"), str(wrong)).to_have_count(1)
        input_field = form.locator(
            f"[aria-describedby~='f-{wrong.fault}-error'][aria-invalid=true]"
        )
        expect(input_field, str(wrong)).to_have_count(1)
        _check_position(error, input_field, wrong)
        _check_values(form, wrong)
    assert site.events == before


def _fill(form: Locator, wrong: InvalidInput) -> None:
    for name, value in wrong.ticked.items():
        form.locator(f"[name='{name}'][value='{value}']").check()
    for name, value in wrong.typed.items():
        form.locator(f"[name='{name}']").fill(value)


def _check_position(error: Locator, input_field: Locator, wrong: InvalidInput) -> None:
    """Assert that the error is right below its field, or within it."""
    below, above = error.bounding_box(), input_field.bounding_box()
    assert below is not None
    assert above is not None
    away = below["y"] - (above["y"] + above["height"])
    assert -above["height"] < away < 24, (wrong, away)


def _check_values(form: Locator, wrong: InvalidInput) -> None:
    """Assert that the form still has all values except passwords."""
    for name, value in wrong.typed.items():
        typed = form.locator(f"[name='{name}']")
        hidden = typed.get_attribute("type") == "password"
        expect(typed, str(wrong)).to_have_value("" if hidden else value)
    for name, value in wrong.ticked.items():
        expect(form.locator(f"[name='{name}'][value='{value}']")).to_be_checked()


def _reset_link(site: Site) -> str:
    [email] = read_outbox(site.sample.elections, 1)
    found = re.search(r"/elections/reset\S+", email.text)
    assert found is not None
    return found[0]


def test_invalid_ballot_is_not_cast(open_page: OpenPage, site: Site) -> None:
    page = open_page(java_script_enabled=False)
    before = site.events
    site.sign_in(page, "Alan")
    page.goto(f"{site.address}/elections/e/Team%20lunch/ballot")
    page.get_by_label("Soup").fill("-1")
    page.get_by_label("Stew").fill("2")
    with page.expect_navigation():
        page.locator("form[action$='/ballot']").evaluate(SEND)
    error = (
        page.get_by_role("listitem").filter(has=page.get_by_label("Soup")).locator(".field-error")
    )
    expect(error).to_contain_text("Enter a place")
    expect(page.get_by_label("Soup")).to_have_value("-1")
    expect(page.get_by_label("Stew")).to_have_value("2")
    assert site.events == before
