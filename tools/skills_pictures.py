"""Take the pictures of the skills directory with its sample: python -m tools.skills_pictures."""

from __future__ import annotations

from playwright.sync_api import Page

from singletable import connect
from singletable_apps.shared.serve import PublicUrl
from singletable_apps.skills.app import APP
from singletable_apps.skills.sample import ACCOUNTS, PASSWORD, create_sample
from singletable_apps.skills.service import open_skills
from tools.screenshots import launch_browser, open_page, save, screenshot, serve, side_by_side

_SECRET = b"a secret only for pictures, 32 bytes"


def main() -> None:
    """Take each picture."""
    service = open_skills(connect("memory:"), _SECRET)
    create_sample(service)
    app = APP.make_app(service, PublicUrl("http://127.0.0.1").settings())
    with serve(app) as address, launch_browser() as browser:
        site = f"{address}/skills"
        wide = open_page(browser, "light", 1280, 860)
        _sign_in(wide, site)
        wide.goto(f"{site}/matrix?department=Platform")
        save("skills.webp", screenshot(wide))
        phone = open_page(browser, "dark", 390, 844)
        _sign_in(phone, site)
        phone.goto(f"{site}/people/priya")
        first = screenshot(phone)
        phone.goto(f"{site}/gaps")
        save("skills_phone.webp", side_by_side(browser, first, screenshot(phone)))


def _sign_in(page: Page, site: str) -> None:
    page.goto(f"{site}/sign-in")
    page.fill("[name=who]", ACCOUNTS[0][0])
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url(f"{site}/start")


if __name__ == "__main__":
    main()
