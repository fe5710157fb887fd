"""Read HTML pages in tests: their forms, their text and the errors beside their fields."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx2


@dataclass
class HtmlForm:
    """A form on a page: where it is sent, and what a browser would send."""

    method: str
    action: str
    fields: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    # The values of radios, checkboxes and selects, chosen or not.
    offered: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


class _FormParser(HTMLParser):
    """Collect the forms of a page, filled in as a browser would send them."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[HtmlForm] = []
        self._form: HtmlForm | None = None
        self._textarea: str | None = None
        self._select: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = HtmlForm(attributes.get("method", "get"), attributes.get("action", ""))
            self.forms.append(self._form)
        elif self._form is not None and tag == "input" and "name" in attributes:
            self._add_input(self._form, attributes)
        elif self._form is not None and tag == "textarea":
            self._textarea = attributes["name"]
            self._form.fields[self._textarea] = [""]
        elif self._form is not None and tag == "select":
            self._select = attributes["name"]
            self._form.fields[self._select] = [""]
        elif self._form is not None and tag == "option" and self._select is not None:
            self._form.offered.setdefault(self._select, []).append(attributes["value"])
            if "selected" in attributes:
                self._form.fields[self._select] = [attributes["value"]]

    def _add_input(self, form: HtmlForm, attributes: dict[str, str]) -> None:
        is_choice = attributes.get("type") in ("radio", "checkbox")
        name, value = attributes["name"], attributes.get("value", "on" if is_choice else "")
        if is_choice:
            form.offered.setdefault(name, []).append(value)
            if "checked" not in attributes:
                return
        form.fields.setdefault(name, []).append(value)

    def handle_data(self, data: str) -> None:
        if self._form is not None and self._textarea is not None:
            # Browsers drop the newline right after the tag.
            before = self._form.fields[self._textarea][0]
            self._form.fields[self._textarea] = [before + (data if before else data.lstrip("\n"))]

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "textarea":
            self._textarea = None
        elif tag == "select":
            self._select = None


def forms_in(response: httpx2.Response) -> list[HtmlForm]:
    """Return the POST forms in the main content of a page."""
    parser = _FormParser()
    parser.feed(response.text.partition("<main")[2].partition("</main>")[0])
    return [form for form in parser.forms if form.method == "post"]


class _TextParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.extend(data.split())


def text_in(html: str) -> str:
    """Return the text of the main content of a page, with single spaces between words."""
    parser = _TextParser()
    _, start, rest = html.partition("<main")
    parser.feed(start + rest.partition("</main>")[0] if start else html)
    return " ".join(parser.words)


def has_conflict(response: httpx2.Response) -> bool:
    """Return whether a form is shown again because someone else changed the same thing."""
    return 'id="form-conflict"' in response.text


def field_errors(response: httpx2.Response) -> dict[str, str]:
    """Return the errors shown beside the fields of a form, by field."""
    errors: dict[str, str] = {}
    for part in response.text.split('class="field-error" id="f-')[1:]:
        name = part.partition("-error")[0]
        errors[name] = part.partition("<span>")[2].partition("</span>")[0]
    return errors


def missing_in(response: httpx2.Response, texts: Iterable[str]) -> list[str]:
    """Return the texts that the page does not contain."""
    return [text for text in texts if text not in response.text]
