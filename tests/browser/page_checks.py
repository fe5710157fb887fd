"""Checks of a page in a browser: accessibility, errors in the console, and the bytes it loads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from playwright.sync_api import Page, Response

from tests.clients.programs import installed

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
