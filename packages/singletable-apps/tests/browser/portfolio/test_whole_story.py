"""From an idea to a conversation: write, schedule, publish, like on a phone, comment, moderate."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE, OpenPage
from tests.browser.page_checks import collect_errors
from tests.browser.portfolio.server import Served


def test_post_is_written_scheduled_published_liked_discussed_and_moderated(
    open_admin: Callable[..., Page], open_page: OpenPage, served: Served
) -> None:
    author = open_admin("posts", "new")
    errors = collect_errors(author)
    author.get_by_label("Title", exact=True).fill("The tide clock")
    author.get_by_label("Text", exact=True).fill("It hangs *beside* the window.")
    expect(author.frame_locator("iframe[title=Preview]").locator("em")).to_have_text("beside")
    author.get_by_text("Schedule", exact=True).first.click()
    tomorrow = served.service.context.clock() + timedelta(days=1)
    author.get_by_label("Publish on").fill(f"{tomorrow:%Y-%m-%dT%H:%M}")
    author.get_by_role("button", name="Schedule", exact=True).click()
    expect(author.get_by_text("Scheduled for", exact=False).first).to_be_visible()

    reader = open_page(viewport=PHONE, has_touch=True)
    errors_of_reader = collect_errors(reader)
    url = f"{served.address}{served.service.context.urls.post('the-tide-clock')}"
    answer = reader.goto(url)
    assert answer is not None
    assert answer.status == 404
    errors_of_reader.clear()  # the browser reports the status

    author.get_by_role("button", name="Publish now", exact=True).click()
    expect(author.get_by_text("Everyone can read it now")).to_be_visible()

    reader.goto(url)
    expect(reader.get_by_role("heading", name="The tide clock")).to_be_visible()
    like = reader.get_by_role("button", name=re.compile("Like this post"))
    like.tap()
    expect(like).to_have_attribute("aria-pressed", "true")
    expect(like).to_contain_text("1")

    reader.get_by_label("Write a comment").fill("Mine is five minutes slow.")
    reader.get_by_label("Name", exact=True).fill("Mary")
    reader.get_by_role("button", name="Send comment").click()
    expect(reader.get_by_text("Thank you", exact=False).first).to_be_visible()
    reader.goto(url)
    expect(reader.get_by_text("Mine is five minutes slow.")).to_have_count(0)

    author.goto(served.admin("comments"))
    expect(author.get_by_text("Mine is five minutes slow.")).to_be_visible()
    author.get_by_role("button", name="Approve the comment of Mary").click()
    expect(author.get_by_text("Mine is five minutes slow.")).to_have_count(0)

    reader.goto(url)
    expect(reader.get_by_text("Mine is five minutes slow.")).to_be_visible()
    expect(reader.get_by_text("Mary", exact=True)).to_be_visible()
    assert errors == errors_of_reader == []
