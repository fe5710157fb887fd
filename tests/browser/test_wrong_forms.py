"""A wrong word in any form: it is said beside its field, what was typed stays, nothing changes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from playwright.sync_api import Locator, expect

from singletable_apps.shared.mail import Outbox
from tests.browser.conftest import OpenPage
from tests.browser.whole_site import Site

PASSWORD = "lantern copper river"
DOOR = "e/Colour%20of%20the%20door"
CODE = "abcd-" * 12 + "abca"
# Browsers ask for some of it before it is sent; whoever gets around that is told by us.
SEND = "form => { form.noValidate = true; form.requestSubmit() }"


@dataclass(frozen=True)
class Wrong:
    """Who types what on which page, and the field that is wrong."""

    who: str | None
    page: str
    typed: Mapping[str, str]
    fault: str
    ticked: Mapping[str, str] = field(default_factory=dict[str, str])
    # Where the form is sent, if not to the page itself.
    form: str = ""

    @property
    def to(self) -> str:
        return self.form or self.page


NEWCOMER = {"name": "Zoe", "email": "zoe@example.org", "password": PASSWORD}
LATE = {"no_voting_before": "2090-01-02T10:00", "no_voting_after": "2090-01-01T10:00"}
ABOUT, CURRENT, LOOK_UP = "account/details", "account/password", "check/confirmation"
BOARD = {"election": "Board 2026", "confirmation": "x"}
WRONG = (
    Wrong(None, "sign-in", {"who": "", "password": PASSWORD}, "who"),
    Wrong(None, "sign-in", {"who": "Ada", "password": ""}, "password"),
    Wrong(None, "register", {**NEWCOMER, "name": "ADA"}, "name"),
    Wrong(None, "register", {**NEWCOMER, "email": "nowhere"}, "email"),
    Wrong(None, "register", {**NEWCOMER, "password": "short"}, "password"),
    Wrong(None, "forgot", {"who": ""}, "who"),
    Wrong(None, "reset", {"password": "short"}, "password"),
    Wrong(None, "check", {"receipt": "{not a receipt"}, "receipt"),
    Wrong("Ada", "account", {"name": "Grace", "email": "a@example.org"}, "name", form=ABOUT),
    Wrong("Ada", "account", {"name": "Ada", "email": "nowhere"}, "email", form=ABOUT),
    Wrong("Ada", "account", {"current": "no", "new": PASSWORD}, "current", form=CURRENT),
    Wrong("Ada", "account", {"current": PASSWORD, "new": "short"}, "new", form=CURRENT),
    Wrong("Ada", "people/Leslie", {"name": "a@b"}, "name"),
    Wrong("Ada", "people/Leslie", {"email": "nowhere"}, "email"),
    Wrong("Ada", "check", BOARD, "confirmation", form=LOOK_UP),
    Wrong("Ada", "check", {"election": "?", "confirmation": CODE}, "election", form=LOOK_UP),
    Wrong("Ada", "new", {"name": "treasurer"}, "name"),
    Wrong("Ada", "new", {"name": "Late", **LATE}, "no_voting_after"),
    Wrong("Donald", f"{DOOR}/settings", {"name": "Treasurer"}, "name"),
    Wrong("Donald", f"{DOOR}/candidates", {"candidates": "A\na"}, "candidates"),
    Wrong("Donald", f"{DOOR}/voters/list", {"voters": "Ada\nX"}, "voters", {"who": "listed"}),
    Wrong("Donald", f"{DOOR}/launch", {}, "how"),
)


# Forms without a wrong answer: one only chooses.
CHOICES = {"people/*/role", "e/*/voters/choose"}
SHAPE = re.compile(r"(e|people)/[^/]+")


def _shape(form: str) -> str:
    return SHAPE.sub(r"\1/*", form)


def test_every_form_with_something_to_type_is_tried(site: Site) -> None:
    people = {wrong.who for wrong in WRONG} | {"Leslie"}
    there = {
        _shape(to.removeprefix("/elections/"))
        for who in people
        for page in site.crawled_by(who)
        for to, fields in page.forms.items()
        if to.startswith("/elections/") and fields
    }
    # The letter that leads to this one is no page; and ballots have a test of their own below.
    tried = {_shape(wrong.to) for wrong in WRONG} - {"reset"} | {"e/*/ballot"} | CHOICES
    assert there == tried


# Without scripts, so that what is asked is what the server answers with.
def test_what_is_wrong_stands_beside_its_field(open_page: OpenPage, site: Site) -> None:
    page = open_page(java_script_enabled=False)
    site.sample.elections.auth.request_reset("Leslie")
    before = site.events
    for wrong in WRONG:
        site.enters(page, wrong.who)
        at = _reset_link(site) if wrong.page == "reset" else f"/elections/{wrong.page}"
        page.goto(site.address + at)
        form = page.locator(f"form[action='/elections/{wrong.to}']")
        _fill(form, wrong)
        with page.expect_navigation():
            form.evaluate(SEND)
        form = page.locator(f"form[action='/elections/{wrong.to}']")
        told = form.locator(f"[id='f-{wrong.fault}-error']")
        expect(told, str(wrong)).to_be_visible()
        expect(form.locator(".field-error"), str(wrong)).to_have_count(1)
        about = form.locator(f"[aria-describedby~='f-{wrong.fault}-error'][aria-invalid=true]")
        expect(about, str(wrong)).to_have_count(1)
        _same_field(told, about, wrong)
        _kept(form, wrong)
    assert site.events == before


def _fill(form: Locator, wrong: Wrong) -> None:
    for name, value in wrong.ticked.items():
        form.locator(f"[name='{name}'][value='{value}']").check()
    for name, value in wrong.typed.items():
        form.locator(f"[name='{name}']").fill(value)


def _same_field(told: Locator, about: Locator, wrong: Wrong) -> None:
    """What is said is right below the field it is about, or within it."""
    below, above = told.bounding_box(), about.bounding_box()
    assert below is not None
    assert above is not None
    away = below["y"] - (above["y"] + above["height"])
    assert -above["height"] < away < 24, (wrong, away)


def _kept(form: Locator, wrong: Wrong) -> None:
    """Everything that was typed is still there, but for passwords."""
    for name, value in wrong.typed.items():
        typed = form.locator(f"[name='{name}']")
        hidden = typed.get_attribute("type") == "password"
        expect(typed, str(wrong)).to_have_value("" if hidden else value)
    for name, value in wrong.ticked.items():
        expect(form.locator(f"[name='{name}'][value='{value}']")).to_be_checked()


def _reset_link(site: Site) -> str:
    [letter] = [kept.email for kept in Outbox(site.sample.store).newest(1)]
    found = re.search(r"/elections/reset\S+", letter.text)
    assert found is not None
    return found[0]


def test_a_ballot_that_is_wrong_is_not_cast(open_page: OpenPage, site: Site) -> None:
    page = open_page(java_script_enabled=False)
    before = site.events
    site.enters(page, "Alan")
    page.goto(f"{site.address}/elections/e/Team%20lunch/ballot")
    page.get_by_label("Soup").fill("-1")
    page.get_by_label("Stew").fill("2")
    with page.expect_navigation():
        page.locator("form[action$='/ballot']").evaluate(SEND)
    told = (
        page.get_by_role("listitem").filter(has=page.get_by_label("Soup")).locator(".field-error")
    )
    expect(told).to_contain_text("Enter a place")
    expect(page.get_by_label("Soup")).to_have_value("-1")
    expect(page.get_by_label("Stew")).to_have_value("2")
    assert site.events == before
