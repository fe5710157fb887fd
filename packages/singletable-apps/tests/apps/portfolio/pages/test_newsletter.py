"""The newsletter: subscribe by a link in an e-mail, get posts, and leave with one click."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import Blog
from singletable_apps.portfolio.service import newsletter
from singletable_apps.portfolio.transfer import export_site, import_site
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.mail import MailNotSent
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.posts import publish
from tests.apps.support.mailbox import deliver
from tests.apps.support.tables import stored_text

MAE = "mae@example.org"


@pytest.fixture
def blog(app: PagesApp) -> Blog:
    app.world.service.profile.update_settings(app.world.owner(), {"newsletter": True})
    return publish(app.world, "On tea {link}")


@pytest.fixture
def reader(app: PagesApp) -> Browser:
    return app.browser()


def link(app: PagesApp) -> str:
    """Return the path of the link in the latest e-mail."""
    text = app.world.mailbox.emails[-1].text
    return str(re.findall(r"https?://[^/]+(/portfolio/newsletter/\S+)", text)[-1])


def subscribe(app: PagesApp, reader: Browser, email: str = MAE) -> None:
    sent = reader.submit(reader.public("newsletter"), "/newsletter", email=email)
    assert "Open the link in the e-mail" in reader.follow(sent).text
    assert f"{email} gets new posts" in reader.post(link(app)).text


def test_reader_subscribes_gets_a_post_once_and_leaves(
    app: PagesApp, ada: Browser, reader: Browser, blog: Blog
) -> None:
    subscribe(app, reader)
    page = ada.get("newsletter")
    assert MAE in page.text
    question = ada.get("newsletter", blog.blog_id, "send")
    assert "to 1 subscriber?" in question.text
    assert ada.flash(ada.submit(question, "/send")) == "1 e-mail is on its way."
    email = app.world.mailbox.emails[-1]
    assert (email.to, email.subject) == (MAE, "On tea {link}")
    assert f"/portfolio/blog/{blog.slug}" in email.text
    assert email.unsubscribe in email.text
    assert "1 sent" in ada.get("newsletter").text
    again = ada.submit(ada.get("newsletter", blog.blog_id, "send"), "/send")
    assert ada.flash(again) == "Everyone has it already."
    assert "Leave the newsletter" in reader.open(link(app)).text
    assert app.world.service.newsletter.count() == 1
    assert "left the newsletter" in reader.post(link(app)).text
    assert app.world.service.newsletter.count() == 0


def test_reader_who_left_is_not_imported_again_until_they_subscribe_again(
    app: PagesApp, reader: Browser, blog: Blog
) -> None:
    service, owner = app.world.service, app.world.owner()

    def imported() -> str:
        report = import_site(service, owner, files)
        return next(each.outcome for each in report if each.path == f"subscribers.json#{MAE}")

    subscribe(app, reader)
    files = dict(export_site(service))
    service.newsletter.send(owner, blog.blog_id)
    deliver(service)
    for _ in range(2):
        reader.post(link(app))
        assert (imported(), service.newsletter.count()) == ("left out", 0)
    assert MAE not in stored_text(service.context.store, "DataTable")
    subscribe(app, reader)
    assert (imported(), service.newsletter.count()) == ("skipped", 1)
    assert [*service.context.store.run(patterns.unsubscribed)] == []


def test_nothing_is_stored_before_the_link_is_opened(
    app: PagesApp, reader: Browser, blog: Blog
) -> None:
    reader.submit(reader.public("newsletter"), "/newsletter", email=MAE)
    store = app.world.service.context.store
    for name in ("DataTable", "portfolio_sessions"):
        assert MAE not in stored_text(store, name)
    path = link(app)
    assert "Send new posts to mae@example.org?" in reader.open(path).text
    assert app.world.service.newsletter.count() == 0
    assert reader.open(path[:-1]).status_code == 404


@pytest.mark.parametrize(
    ("fields", "emails"),
    [({"email": MAE, "website": "spam"}, 0), ({"email": MAE}, 1)],
    ids=["a bot", "a person"],
)
def test_form_sends_one_link(
    app: PagesApp, reader: Browser, blog: Blog, fields: dict[str, str], emails: int
) -> None:
    before = len(app.world.mailbox.emails)
    assert reader.submit(reader.public("newsletter"), "/newsletter", **fields).status_code == 303
    assert len(app.world.mailbox.emails) - before == emails


def test_subscriber_and_impatient_reader_get_no_further_links(
    app: PagesApp, reader: Browser, blog: Blog
) -> None:
    subscribe(app, reader)
    service = app.world.service.newsletter
    app.world.mailbox.emails.clear()
    service.subscribe(MAE.upper())
    for _ in range(9):
        service.subscribe("other@example.org")
    known, *others = sorted(app.world.mailbox.emails, key=lambda email: email.to)
    assert [known.to, *(each.to for each in others)] == [MAE.upper()] + 3 * ["other@example.org"]
    assert "gets them already" in known.text
    assert ["/confirm/" in each.text for each in (known, *others)] == [False, True, True, True]


# How long an answer takes told strangers who subscribes: their own e-mails took a second to send.
def test_form_takes_as_long_for_subscribers(
    app: PagesApp, reader: Browser, blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(app, reader)
    monkeypatch.setattr(type(app.world.mailbox), "transmit", None)

    def requests(email: str) -> list[str]:
        app.world.calls.clear()
        app.world.service.newsletter.subscribe(email)
        return [type(each).__name__ for call in app.world.calls for each in call.requests]

    assert requests(MAE) == requests("eve@elsewhere.example")


def test_links_expire_and_work_for_their_use_only(
    app: PagesApp, reader: Browser, blog: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.submit(reader.public("newsletter"), "/newsletter", email=MAE)
    token = link(app).rpartition("/")[2]
    with pytest.raises(NotFound):
        app.world.service.newsletter.unsubscribe(token)
    monkeypatch.setattr(newsletter, "LINK_LIFETIME", timedelta(seconds=-1))
    assert reader.post(link(app)).status_code == 404


def test_failed_addresses_are_shown_and_can_be_removed(
    app: PagesApp, ada: Browser, reader: Browser, blog: Blog
) -> None:
    subscribe(app, reader)
    service = app.world.service

    app.world.mailbox.error = MailNotSent("550 No such user here", is_temporary=False)
    service.newsletter.send(app.world.owner(), blog.blog_id)
    deliver(service)
    page = ada.get("newsletter")
    assert "1 failed" in page.text
    assert "No such user here" in page.text
    digest = service.newsletter.subscribers(app.world.owner()).items[0].digest
    ada.flash(ada.submit(ada.get("newsletter", digest, "remove"), "/remove"))
    assert service.newsletter.count() == 0


def test_wrong_address_is_named_and_site_without_newsletter_has_no_form(
    app: PagesApp, reader: Browser, blog: Blog
) -> None:
    answer = reader.submit(reader.public("newsletter"), "/newsletter", email="mae@nodot")
    assert (answer.status_code, "field-error" in answer.text) == (422, True)
    app.world.service.profile.update_settings(app.world.owner(), {"newsletter": False})
    assert reader.public("newsletter").status_code == 404
