"""Checks of a page in a browser: accessibility, errors in the console, and the bytes it loads."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from playwright.sync_api import Page, Response

from tests.clients.programs import installed

_AXE = "axe-core/node_modules/axe-core/axe.min.js"


def complaints_of_axe(page: Page) -> list[str]:
    """Return the accessibility violations that axe finds, each with its element."""
    if page.evaluate("typeof axe") == "undefined":
        # Playwright evaluates code like the debugger, so the content security policy allows it.
        page.evaluate(Path(installed(_AXE)).read_text())
    found = cast(dict[str, Any], page.evaluate("axe.run({resultTypes: ['violations']})"))
    return [
        f"{fault['id']}: {node['target']} {node['failureSummary']}"
        for fault in found["violations"]
        for node in fault["nodes"]
    ]


def watch_policy(page: Page) -> list[str]:
    """Return a list to which violations of the policy and script errors are added."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else None
    )
    return errors


def bytes_to_load(page: Page, address: str) -> dict[str, int]:
    """How many bytes come over the wire for a page that was never seen before, by address."""
    answered: list[Response] = []
    page.on("response", lambda answer: answered.append(answer))
    page.goto(address, wait_until="load")
    # Scripts of modules and fonts are part of the load event; a stream of events never ends.
    return {answer.url: _size(answer) for answer in list(answered) if not _is_stream(answer)}


def _is_stream(answer: Response) -> bool:
    return answer.headers.get("content-type", "").startswith("text/event-stream")


def _size(answer: Response) -> int:
    sizes = answer.request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]
