"""A form that cannot be processed right now is shown again, with everything that was entered."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from singletable import Store
from singletable_apps.portfolio.comment_rules import MAX_PENDING
from singletable_apps.portfolio.entities import PendingComment
from singletable_apps.portfolio.rules import PostDraft
from singletable_apps.shared.mail import Email, MailNotSent
from tests.apps.portfolio.pages.client import PagesApp


def test_message_that_is_not_sent_is_still_in_the_form(
    app: PagesApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(email: Email, now: datetime) -> None:
        raise MailNotSent("The server does not answer.", is_temporary=True)

    monkeypatch.setattr(app.world.mailbox, "send", fail)
    browser = app.browser()
    answer = browser.submit(
        browser.open("/portfolio/contact"),
        "/contact",
        name="Bob",
        email="bob@example.org",
        message="Will you give a talk?",
    )
    assert answer.status_code == 422
    assert "Your message was not sent" in answer.text
    assert "Will you give a talk?" in answer.text


def test_comment_for_a_full_queue_is_still_in_the_form(app: PagesApp) -> None:
    posts, ada = app.world.service.posts, app.world.owner()
    post = posts.create(ada, PostDraft("Tea", "Some tea."))
    posts.publish(ada, post.blog_id)
    app.world.clock.move(seconds=1)
    now = app.world.clock.now.replace(microsecond=0)
    Store(app.world.driver).put_many(
        PendingComment(
            blog_id=post.blog_id,
            comment_id=f"{number:x}",
            author_name="Bot",
            content="x",
            created_at=now,
            visitor=f"{number}",
            ends=now + timedelta(days=1),
        )
        for number in range(MAX_PENDING)
    )
    browser = app.browser()
    answer = browser.submit(
        browser.open("/portfolio/blog/tea"),
        "/comments#comment",
        author_name="Bob",
        content="Nice post!",
    )
    assert answer.status_code == 422
    assert "Too many comments are waiting for approval" in answer.text
    assert "Nice post!" in answer.text
