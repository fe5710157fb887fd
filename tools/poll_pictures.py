"""Take the pictures of polls from a site with sample data: python -m tools.poll_pictures."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime

from singletable import connect
from singletable_apps.front import Served, make_front_app
from singletable_apps.polls.api import PREFIX, ApiSettings, Limits
from singletable_apps.polls.door import door
from singletable_apps.polls.sample import MAKER, POLLS, fill
from singletable_apps.polls.secret import Secret
from singletable_apps.polls.service import open_polls
from singletable_apps.polls.site import with_pages
from singletable_apps.shared.doors import Opened
from tools.screenshots import browsing, opened, picture, serving, side_by_side, write

_SECRET = Secret(b"a secret for the pictures, no more")


@contextmanager
def site() -> Generator[list[str]]:
    """The addresses of the polls of the sample, while they are served."""
    driver = connect("memory:")
    fill(driver, _SECRET, datetime.now(UTC))
    polls = open_polls(driver, _SECRET)
    app = with_pages(polls, ApiSettings(limits=Limits.off(), secure_cookies=False))
    site = Opened(app, prefixes=("/polls", PREFIX, "/static/*/polls"), api=PREFIX)
    made = polls.making.mine(MAKER, len(POLLS)).items
    with serving(make_front_app([Served(door(), site)], secure_cookies=False)) as address:
        yield [f"{address}/polls/p/{own.poll.id}" for own in reversed(made)]


def main() -> None:
    """Take each picture."""
    with site() as addresses, browsing() as browser:
        language = addresses[1]
        wide = opened(browser, "light", 1280, 800)
        wide.goto(f"{language}/results")
        rounds = wide.get_by_role("heading", name="Round by round")
        rounds.evaluate("heading => scrollTo(0, heading.getBoundingClientRect().top - 40)")
        write("poll_results.webp", picture(wide))
        phone = opened(browser, "dark", 390, 844)
        phone.goto(language)
        for name in ("Rust", "Python", "Go"):
            phone.locator(".row-name", has_text=name).click()
        phone.mouse.move(0, 0)
        phone.evaluate("scrollTo(0, 0); document.activeElement.blur()")
        voting = picture(phone)
        phone.goto(f"{language}/results")
        write("poll_phone.webp", side_by_side(browser, voting, picture(phone)))


if __name__ == "__main__":
    main()
