"""A browser without scripts: it opens pages and submits their forms."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
from fastapi.testclient import TestClient

from tests.apps.support.html import forms_in

FieldValue = str | list[str] | None


@dataclass(frozen=True)
class Browser:
    """A browser, signed in or not. It follows redirects of GET requests.

    `activate` lets the shared app serve the database of the test, and `url` returns the path of a
    page by its parts.
    """

    http: TestClient
    activate: Callable[[], None]
    url: Callable[..., str]

    def get(self, *parts: str, **query: str) -> httpx2.Response:
        """Open a page by the parts of its URL."""
        return self.open(self.url(*parts, **query))

    def open(self, path: str, **headers: str) -> httpx2.Response:
        """Open a page by its path."""
        self.activate()
        headers = {"Accept": "text/html", **headers}
        return self.http.get(path, headers=headers, follow_redirects=True)

    def submit(
        self, page: httpx2.Response, ending: str = "", /, **fields: FieldValue
    ) -> httpx2.Response:
        """Submit the form whose action has this ending, also before a query, or the only form."""
        [form] = [
            form
            for form in forms_in(page)
            if form.action.endswith(ending) or form.action.partition("?")[0].endswith(ending)
        ]
        unchanged = {name: values for name, values in form.fields.items() if name not in fields}
        changed = {name: value for name, value in fields.items() if value is not None}
        return self.post(html.unescape(form.action), {**unchanged, **changed})

    def upload(
        self,
        page: httpx2.Response,
        fields: Mapping[str, FieldValue],
        files: Mapping[str, bytes] | None = None,
        filename: str = "file",
    ) -> httpx2.Response:
        """Fill in and submit the form of a page that sends files; None leaves a field out."""
        [form] = [form for form in forms_in(page) if form.action]
        values = {**form.fields, **fields}
        sent = {name: value for name, value in values.items() if value is not None}
        uploads = {name: (filename, data) for name, data in (files or {}).items()}
        return self.post(html.unescape(form.action), sent, files=uploads or {"nothing": ("", b"")})

    def post(
        self, path: str, data: Mapping[str, Any] | None = None, **more: Any
    ) -> httpx2.Response:
        """Post a form without following the redirect."""
        self.activate()
        origin = str(self.http.base_url).rstrip("/")
        headers = {"Accept": "text/html", "Origin": origin, "Sec-Fetch-Site": "same-origin"}
        return self.http.post(
            path, data=data or {}, headers=headers, follow_redirects=False, **more
        )

    def follow(self, response: httpx2.Response) -> httpx2.Response:
        """Open the page that a form redirected to."""
        assert response.status_code == 303, response.text
        return self.open(response.headers["location"])

    def flash(self, response: httpx2.Response) -> str:
        """Follow a redirect and return its flash message."""
        page = self.follow(response)
        assert page.status_code in (200, 404), page.text
        text = page.text.partition("data-flash=")[2].partition("<p>")[2].partition("</p>")[0]
        return html.unescape(text)
