"""The start page, and the form that creates a poll: all errors at once, and no input is lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import StrictBool

from singletable_apps.polls.entities import PollSettings, Protection, ResultsVisibility
from singletable_apps.polls.pages.create import parse_poll_form
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.sample import create_sample
from singletable_apps.shared.pages import Form
from singletable_apps.shared.web import RateLimit
from tests.apps.polls.pages.client import HOME, Server, Typed, Visitor, faults_in, id_in
from tests.apps.polls.support.harness import changed
from tests.apps.support.html import forms_in, text_in

NEW = "/polls/new"
GOOD: dict[str, Typed] = {"title": "Where to?", "candidates": ["Lake", "", " Museum "]}


class MoreSettings(PollSettings):
    """The settings of polls with one more checkbox."""

    reminders: StrictBool = False


def test_created_poll_shows_its_links(server: Server, ada: Visitor) -> None:
    answer = ada.send(ada.get(NEW), NEW, **GOOD)
    poll = server.polls.context.get_poll(id_in(answer))
    assert (poll.title, poll.candidates) == ("Where to?", ["Lake", "Museum"])
    assert (poll.settings, poll.expires_at) == (PollSettings(), None)
    page = ada.follow(answer)
    key = server.polls.context.secret.admin_key(poll.id)
    assert f"{HOME}/polls/{poll.id}</code>" in page.text
    assert f"{HOME}/polls/p/{poll.id}/manage?key={key}</code>" in page.text
    assert "<svg" in page.text
    assert "Save this link and keep it private" in text_in(page.text)
    # Other visitors do not see the key.
    assert key not in server.new_visitor().get(f"/polls/p/{poll.id}/made").text


@pytest.mark.parametrize(
    ("typed", "field", "words"),
    [
        ({"candidates": "Lake"}, "candidates", "2 to 50 options"),
        ({"candidates": ["A", "", "B", "a"]}, "candidates-2", "Options 1 and 3 are the same"),
        ({"closing": "at", "expires_at": "soon"}, "expires_at", "Enter a date and a time"),
        ({"closing": "at", "expires_at": "2026-11-15T11:00"}, "expires_at", "in the past"),
        ({"closing": "later"}, "closing", "Choose one of the options"),
        ({"results": "never"}, "results", "Choose one of the options"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_errors_are_shown_beside_their_fields(
    ada: Visitor, typed: dict[str, Typed], field: str, words: str
) -> None:
    answer = ada.send(ada.get(NEW), NEW, **{**GOOD, **typed})
    assert answer.status_code == 422
    faults = faults_in(answer)
    assert faults.keys() == {field}
    assert words in faults[field]
    assert ada.get("/polls/mine").text.count("poll-item") == 0


def test_all_errors_are_shown_at_once_and_input_is_kept(ada: Visitor) -> None:
    typed: dict[str, Typed] = {
        "title": "",
        "description": "d" * 2001,
        "candidates": ["", "Lake", "", "lake", "Museum"],
        "closing": "at",
        "results": "after-voting",
        "protection": "codes",
        "changeable": None,
    }
    answer = ada.send(ada.get(NEW), NEW, **typed)
    assert set(faults_in(answer)) == {"title", "description", "candidates-1", "expires_at"}
    [form] = forms_in(answer)
    kept = {name: form.fields.get(name) for name in typed}
    assert [one for one in kept.pop("candidates") or [] if one] == ["Lake", "lake", "Museum"]
    assert kept == {
        "title": [""],
        "description": ["d" * 2001],
        "closing": ["at"],
        "results": ["after-voting"],
        "protection": ["codes"],
        "changeable": None,
    }


def test_more_rows_without_scripts_keep_the_input(server: Server, ada: Visitor) -> None:
    page = ada.get(NEW)
    assert len(forms_in(page)[0].fields["candidates"]) == 5
    more = ada.send(page, NEW, title="Half", candidates=["A", "B", "", "", ""], more="yes")
    assert (more.status_code, faults_in(more)) == (200, {})
    [form] = forms_in(more)
    assert form.fields["title"] == ["Half"]
    assert form.fields["candidates"] == ["A", "B", *[""] * 8]
    for _ in range(10):
        more = ada.send(more, NEW, more="yes")
    assert len(forms_in(more)[0].fields["candidates"]) == 50


def test_poll_closes_after_the_chosen_duration(server: Server, ada: Visitor) -> None:
    # A time in the field is ignored unless `closing` is "at".
    typed: dict[str, Typed] = {**GOOD, "closing": "week", "expires_at": "2001-01-01T10:00"}
    poll = server.polls.context.get_poll(id_in(ada.send(ada.get(NEW), NEW, **typed)))
    assert poll.expires_at == server.now + timedelta(weeks=1)


def test_closing_time_is_in_the_time_zone_of_the_browser(server: Server, ada: Visitor) -> None:
    ada.browser.cookies.set("zone", "Asia/Kathmandu")
    typed: dict[str, Typed] = {**GOOD, "closing": "at", "expires_at": "2026-12-24T18:00"}
    poll = server.polls.context.get_poll(id_in(ada.send(ada.get(NEW), NEW, **typed)))
    assert poll.expires_at == datetime(2026, 12, 24, 12, 15, tzinfo=UTC)


def test_poll_is_created_from_another(server: Server, ada: Visitor) -> None:
    ends = server.now + timedelta(hours=1)
    hidden = ResultsVisibility.AFTER_CLOSING
    draft = changed(
        PollDraft("Old", ("A", "B"), "why", ends),
        results=hidden,
        protection=Protection.OPEN,
        changeable=False,
    )
    old = server.poll(draft).stored
    server.wait(hours=2)
    page = ada.get(f"{NEW}?from={old.id}")
    assert "A copy of “Old”" in text_in(page.text)
    copy = server.polls.context.get_poll(id_in(ada.send(page, NEW)))
    assert copy.id != old.id
    for name in ("title", "description", "candidates", "settings"):
        assert getattr(copy, name) == getattr(old, name)
    assert copy.expires_at is None
    assert ada.get(f"{NEW}?from=nothing").status_code == 404


def test_creating_polls_is_rate_limited(ada: Visitor) -> None:
    ada.server = Server({"create": RateLimit("make", 1, 3600)})
    statuses = [ada.send(ada.get(NEW), NEW, **GOOD).status_code for _ in range(2)]
    assert statuses == [303, 429]


def test_home_explains_polls_without_cookies(ada: Visitor) -> None:
    page = ada.get("/polls")
    words = text_in(page.text)
    assert "People rank the options" in words
    assert "Create a poll" in words
    assert "Your polls" not in words
    assert "Sample polls" not in words
    # Reading needs no cookie.
    assert "set-cookie" not in page.headers


def test_home_lists_sample_polls_without_admin_links(server: Server, ada: Visitor) -> None:
    create_sample(server.polls)
    page = ada.get("/polls")
    words = text_in(page.text)
    assert "Sample polls" in words
    assert "Which café for the reading group?" in words
    trial = page.text.partition(">Try one<")[0].rpartition('href="')[2].partition('"')[0]
    assert "Best Programming Language 2024" in text_in(ada.get(trial).text)
    assert "/manage" not in page.text


def test_any_checkbox_can_be_unticked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable_apps.polls.pages.create.PollSettings", MoreSettings)
    ticked = MoreSettings(
        protection=Protection.OPEN, write_ins=True, names=True, comments=True, reminders=True
    )
    base = PollDraft("Where to?", ("Lake", "Museum"), settings=ticked)
    # A browser does not send checkboxes that are off.
    draft = parse_poll_form(Form({"title": "Where?"}), datetime(2026, 11, 1, tzinfo=UTC), base)
    assert isinstance(draft, PollDraft)
    assert draft.title == "Where?"
    assert draft.settings == MoreSettings(protection=Protection.OPEN, changeable=False)
