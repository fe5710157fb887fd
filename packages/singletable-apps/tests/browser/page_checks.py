"""Checks of a page in a browser: accessibility, errors in the console, and the bytes it loads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from playwright.sync_api import Page, Response, ViewportSize

from tests.browser.conftest import PHONE, WIDE
from tools.testing.programs import installed

# Bytes that a page may load, and bytes of response headers, which the browser does not report.
BUDGET = 150_000
_HEADERS = 500
# Pages are shown, need a permission, or have a form with errors.
_STATUSES = (200, 403, 422)
_BODY_SIZES = """[...performance.getEntriesByType("navigation"),
    ...performance.getEntriesByType("resource")].map(one => one.encodedBodySize)"""
_OPEN_ALL = "for (const one of document.querySelectorAll('main details')) one.open = true"
_AXE = "axe-core/node_modules/axe-core/axe.min.js"
# Only the violations: sending the whole report here takes a quarter of the time.
_RUN_AXE = """exclude => axe.run({include: [["html"]], exclude}, {resultTypes: ["violations"]})
    .then(report => report.violations)"""


def find_axe_violations(page: Page, *, exclude: Sequence[str] = ()) -> list[str]:
    """Return the accessibility violations that axe finds, each with its element.

    `exclude` are selectors of elements that are left out, such as the rows of a long table.
    """
    if page.evaluate("typeof axe") == "undefined":
        # Playwright evaluates code like the debugger, so the content security policy allows it.
        page.evaluate(Path(installed(_AXE)).read_text())
    violations = cast(list[dict[str, Any]], page.evaluate(_RUN_AXE, [[each] for each in exclude]))
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in violations
        for node in violation["nodes"]
    ]


def find_page_faults(page: Page, url: str, *, exclude: Sequence[str] = ()) -> list[str]:
    """Open a page wide and light, then narrow and dark, and return its faults."""
    page.set_viewport_size(cast(ViewportSize, WIDE))
    page.emulate_media(color_scheme="light")
    answer = page.goto(url)
    page.evaluate(_OPEN_ALL)
    faults = [] if answer and answer.status in _STATUSES else [f"{answer and answer.status}"]
    faults += find_axe_violations(page, exclude=exclude)
    page.set_viewport_size(cast(ViewportSize, PHONE))
    page.emulate_media(color_scheme="dark")
    faults += find_axe_violations(page, exclude=exclude)
    if (width := page.evaluate("document.documentElement.scrollWidth")) != PHONE["width"]:
        faults.append(f"{width} pixels wide on a phone")
    sizes: list[int] = page.evaluate(_BODY_SIZES)
    if (weight := sum(sizes) + _HEADERS * len(sizes)) > BUDGET:
        faults.append(f"{weight} bytes")
    if page.evaluate("document.querySelector('[hx-get]') && !window.htmx"):
        faults.append("search boxes need htmx")
    if page.locator("h1").count() != 1:
        faults.append("not one h1")
    return faults


def collect_errors(page: Page) -> list[str]:
    """Return a list to which violations of the policy and script errors are added."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    return errors


def measure_load(page: Page, address: str) -> dict[str, int]:
    """Open a page with an empty cache, and return the bytes it loads by URL."""
    answered: list[Response] = []
    page.on("response", lambda answer: answered.append(answer))
    page.goto(address, wait_until="load")
    # The load event waits for module scripts and fonts; an event stream never ends.
    return {answer.url: _size(answer) for answer in list(answered) if not _is_stream(answer)}


def _is_stream(answer: Response) -> bool:
    return answer.headers.get("content-type", "").startswith("text/event-stream")


def _size(answer: Response) -> int:
    sizes = answer.request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]
