"""A form that cannot be processed right now is shown again, with everything that was entered."""

from __future__ import annotations

from singletable_apps.shared.mail import MailNotSent
from tests.apps.portfolio.pages.client import PagesApp
from tests.apps.portfolio.support.posts import fill_queue, publish


def test_message_that_is_not_sent_is_still_in_the_form(app: PagesApp) -> None:
    app.world.mailbox.error = MailNotSent("The server does not answer.", is_temporary=True)
    browser = app.browser()
    fields = {"name": "Bob", "email": "bob@example.org", "message": "Will you give a talk?"}
    answer = browser.submit(browser.public("contact"), "/contact", **fields)
    assert answer.status_code == 422
    assert "Your message was not sent" in answer.text
    assert "Will you give a talk?" in answer.text


def test_comment_for_a_full_queue_is_still_in_the_form(app: PagesApp) -> None:
    fill_queue(app.world, publish(app.world, "Tea").blog_id)
    app.world.clock.advance(seconds=1)
    browser = app.browser()
    fields = {"author_name": "Bob", "content": "Nice post!"}
    answer = browser.submit(browser.public("blog", "tea"), "/comments#comment", **fields)
    assert answer.status_code == 422
    assert "Too many comments are waiting for approval" in answer.text
    assert "Nice post!" in answer.text
