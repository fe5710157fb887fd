"""Take the pictures of the portfolio with its sample: python -m tools.portfolio_pictures."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from singletable import connect
from singletable_apps.portfolio.app import APP
from singletable_apps.portfolio.sample import OWNER, PASSWORD, create_sample
from singletable_apps.portfolio.service import open_portfolio
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.objects import MemoryBucket
from singletable_apps.shared.serve import PublicUrl
from tools.screenshots import launch_browser, open_page, save, screenshot, serve, side_by_side

_SECRET = b"a secret only for pictures, 32 bytes"


@contextmanager
def site() -> Generator[str]:
    """Serve the sample site and yield its URL."""
    service = open_portfolio(
        connect("memory:"), _SECRET, bucket=MemoryBucket(), urls=Urls(prefix="")
    )
    create_sample(service)
    with serve(APP.make_app(service, PublicUrl("http://127.0.0.1").settings())) as address:
        yield address


def main() -> None:
    """Take each picture."""
    with site() as address, launch_browser() as browser:
        wide = open_page(browser, "light", 1280, 860)
        wide.goto(f"{address}/blog")
        save("portfolio.webp", screenshot(wide))
        phone = open_page(browser, "dark", 390, 844)
        phone.goto(address)
        first = screenshot(phone)
        phone.goto(f"{address}/blog/three-in-the-morning")
        save("portfolio_phone.webp", side_by_side(browser, first, screenshot(phone)))
        author = open_page(browser, "light", 1280, 860)
        author.goto(f"{address}/admin/sign-in")
        author.fill("[name=who]", OWNER[1])
        author.fill("[name=password]", PASSWORD)
        author.press("[name=password]", "Enter")
        author.get_by_role("link", name="Posts").first.click()
        author.get_by_role("link", name="A tide clock in forty lines of Python").first.click()
        save("portfolio_editor.webp", screenshot(author))


if __name__ == "__main__":
    main()
