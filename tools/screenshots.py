"""Take the pictures of the README from a site with sample data: python -m tools.screenshots."""

from __future__ import annotations

import shutil
import socket
import threading
from base64 import b64decode
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Page, sync_playwright
from starlette.types import ASGIApp

from singletable import connect
from singletable_apps.elections.app import APP
from singletable_apps.elections.keys import generate_keys
from singletable_apps.elections.sample import PASSWORD, fill_sample
from singletable_apps.elections.service import open_elections
from singletable_apps.home.app import make_site_app
from singletable_apps.shared.serve import Server
from singletable_apps.shared.web import Settings

FOLDER = Path(__file__).resolve().parents[1] / "docs/pictures"
MAX_BYTES = 120_000
SUMMER, LUNCH = "e/Summer%20trip", "e/Team%20lunch"
_SIDE_BY_SIDE = """
<body style="margin:0;background:#39322a;display:flex;gap:1px;width:max-content">
<img width=390 src="data:image/webp;base64,{}"><img width=390 src="data:image/webp;base64,{}">
"""


@contextmanager
def site() -> Generator[str]:
    """Serve elections with sample data and yield the URL."""
    elections = open_elections(connect("memory:"), generate_keys())
    fill_sample(elections)
    app = APP.make_app(elections, Settings(secure_cookies=False), limited=False)
    with serve(app) as address:
        yield f"{address}/elections"


@contextmanager
def serve(app: ASGIApp) -> Generator[str]:
    """Serve an app in a thread and yield its URL."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


@contextmanager
def launch_browser() -> Generator[Browser]:
    """Launch Debian's headless Chromium."""
    with sync_playwright() as playwright:
        executable = shutil.which("chromium-headless-shell")
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        yield browser
        browser.close()


def open_page(browser: Browser, theme: str, width: int, height: int) -> Page:
    """Open a page in a new browser context."""
    context = browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=1.5,
        color_scheme="dark" if theme == "dark" else "light",
        reduced_motion="reduce",
    )
    return context.new_page()


def open_signed_in(
    browser: Browser, address: str, name: str, theme: str, width: int, height: int
) -> Page:
    """Open a page and sign in."""
    page = open_page(browser, theme, width, height)
    page.goto(f"{address}/sign-in")
    page.fill("[name=who]", name)
    page.fill("[name=password]", PASSWORD)
    page.press("[name=password]", "Enter")
    page.wait_for_url(address)
    return page


def screenshot(page: Page) -> str:
    """Take a screenshot as base64-encoded WebP, which Playwright's own method does not support."""
    page.wait_for_load_state("networkidle")
    # The Chrome DevTools Protocol is untyped in Playwright.
    session: Any = page.context.new_cdp_session(page)
    result = session.send("Page.captureScreenshot", {"format": "webp", "quality": 82})
    return str(result["data"])


def side_by_side(browser: Browser, first: str, second: str) -> str:
    """Combine two phone screenshots into one picture."""
    pair = browser.new_page(viewport={"width": 781, "height": 844}, device_scale_factor=1.5)
    pair.set_content(_SIDE_BY_SIDE.format(first, second))
    return screenshot(pair)


def save(name: str, image: str) -> None:
    """Save a picture; raise ValueError if it is too large."""
    content = b64decode(image)
    if len(content) > MAX_BYTES:
        raise ValueError(f"{name}: expected at most {MAX_BYTES} bytes, but got {len(content)}.")
    (FOLDER / name).write_bytes(content)


def main() -> None:
    """Take each picture."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        site() as address,
        serve(make_site_app([], settings=Settings(secure_cookies=False))) as root,
        launch_browser() as browser,
    ):
        home = open_page(browser, "light", 1280, 800)
        home.goto(root)
        home.click("label[for=demo-2]")
        save("home.webp", screenshot(home))
        wide = open_signed_in(browser, address, "Ada", "light", 1280, 800)
        wide.goto(f"{address}/{SUMMER}/tally")
        head_to_head = wide.get_by_role("heading", name="Head to head")
        head_to_head.evaluate("heading => scrollTo(0, heading.offsetTop - 40)")
        save("tally.webp", screenshot(wide))
        wide.goto(f"{address}/{LUNCH}/ballot")
        for name in ("Soup", "Stew", "Pancakes"):
            wide.locator(".row-name", has_text=name).click()
        wide.locator("[data-who]", has_text="Stew").locator("[data-tool=same]").click()
        wide.mouse.move(0, 0)
        wide.evaluate("document.activeElement.blur()")
        save("ballot.webp", screenshot(wide))
        phone = open_signed_in(browser, address, "Leslie", "dark", 390, 844)
        phone.goto(f"{address}/all")
        first = screenshot(phone)
        phone.goto(f"{address}/{LUNCH}/tally")
        save("phone.webp", side_by_side(browser, first, screenshot(phone)))


if __name__ == "__main__":
    main()
