"""Take the pictures of polls from a site with sample data: python -m tools.poll_pictures."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from singletable import connect
from singletable_apps.home.app import make_site_app
from singletable_apps.polls.app import APP
from singletable_apps.polls.sample import SAMPLE_BROWSER, SAMPLE_POLLS, create_sample
from singletable_apps.polls.service import open_polls
from singletable_apps.polls.tokens import Secret
from singletable_apps.shared.apps import RunningApp
from singletable_apps.shared.web import Settings
from tools.screenshots import (
    launch_browser,
    open_page,
    save,
    screenshot,
    serve,
    side_by_side,
)

_SECRET = Secret(b"a secret only for pictures, 32 bytes")


@contextmanager
def site() -> Generator[list[str]]:
    """Serve the sample polls and yield their URLs."""
    driver = connect("memory:")
    polls = open_polls(driver, _SECRET)
    create_sample(polls)
    app = APP.make_app(polls, Settings(secure_cookies=False), limited=False)
    site = RunningApp(
        APP.app_info(), app, prefixes=(APP.prefix, APP.api, "/static/*/polls"), api=APP.api
    )
    made = polls.lifecycle.list_created(SAMPLE_BROWSER, len(SAMPLE_POLLS)).items
    with serve(make_site_app([site], settings=Settings(secure_cookies=False))) as address:
        yield [f"{address}/polls/p/{own.poll.id}" for own in reversed(made)]


def main() -> None:
    """Take each picture."""
    with site() as addresses, launch_browser() as browser:
        language = addresses[1]
        wide = open_page(browser, "light", 1280, 800)
        wide.goto(f"{language}/results")
        rounds = wide.get_by_role("heading", name="Round by round")
        rounds.evaluate("heading => scrollTo(0, heading.getBoundingClientRect().top - 40)")
        save("poll_results.webp", screenshot(wide))
        phone = open_page(browser, "dark", 390, 844)
        phone.goto(language)
        for name in ("Rust", "Python", "Go"):
            phone.locator(".row-name", has_text=name).click()
        phone.mouse.move(0, 0)
        phone.evaluate("scrollTo(0, 0); document.activeElement.blur()")
        voting = screenshot(phone)
        phone.goto(f"{language}/results")
        save("poll_phone.webp", side_by_side(browser, voting, screenshot(phone)))


if __name__ == "__main__":
    main()
