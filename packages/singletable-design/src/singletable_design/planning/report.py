"""A report: sections of tables, charts and sentences, which a page and a terminal show.

Plans, comparisons and simulations are shown as such reports. `report_page` renders one
as a self-contained page; the command line prints the same tables and sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal, TypeAlias

from singletable.text_table import TextTable
from singletable_design.planning.svg import element, text_element

_STYLE = Path(__file__).with_name("report.css")


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences: as a list, numbered, as notes in small type, or as warnings.

    A terminal shows the first `most` of them, unless all details are wanted.
    """

    texts: tuple[str, ...]
    kind: Literal["list", "numbered", "note", "warning"] = "list"
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Details:
    """How something was computed, in sentences; it is shown on request."""

    title: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, or other HTML that only a page shows."""

    html: str


Part: TypeAlias = TextTable | Sentences | Details | Chart


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the parts below it."""

    title: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A report: its title, the most important facts in sentences, and its sections.

    `is_good` is False if something is wrong, such as throttled calls; None if it is not judged.
    """

    title: str
    summary: tuple[str, ...]
    sections: tuple[Section, ...]
    is_good: bool | None = None

    def tables(self) -> list[TextTable]:
        """Return all tables."""
        parts = (part for section in self.sections for part in section.parts)
        return [part for part in parts if isinstance(part, TextTable)]


def make_report(
    title: str,
    summary: Iterable[str],
    sections: Iterable[tuple[str, Iterable[Part | None]]],
    *,
    is_good: bool | None = None,
) -> Report:
    """Return a report without empty tables, lists and sections."""
    kept: list[Section] = []
    for heading, parts in sections:
        shown = tuple(part for part in parts if part is not None and not _is_empty(part))
        kept += [Section(heading, shown)] if shown else []
    return Report(title, tuple(summary), tuple(kept), is_good)


def _is_empty(part: Part) -> bool:
    match part:
        case TextTable(rows=content) | Sentences(content) | Details(texts=content):
            return not content
        case Chart(html):
            return not html


def report_page(report: Report) -> str:
    """Return a report as one self-contained page."""
    title = text_element("title", report.title)
    body = "\n".join(
        element("section", text_element("h2", one.title), "\n", *map(_html, one.parts))
        for one in report.sections
    )
    summary = "\n".join(text_element("p", one, class_="summary") for one in report.summary)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"{title}\n<style>\n{_STYLE.read_text('utf-8')}</style>\n</head>\n<body>\n<main>\n"
        f"{text_element('h1', report.title)}\n{summary}\n{body}\n</main>\n"
        "</body>\n</html>\n"
    )


def _html(part: Part) -> str:
    match part:
        case TextTable():
            return _html_table(part)
        case Sentences(texts, "note" | "warning" as kind):
            return "".join(text_element("p", text, class_=kind) for text in texts)
        case Sentences(texts, kind):
            return _html_list(texts, "ol" if kind == "numbered" else "ul")
        case Details(title, texts):
            return element("details", text_element("summary", title), _html_list(texts))
        case Chart(html):
            return html


def _html_list(texts: Sequence[str], name: str = "ul") -> str:
    return element(name, *(text_element("li", text) for text in texts))


def _html_table(table: TextTable) -> str:
    kinds = ["number" if table.is_number(one) else None for one in range(len(table.columns))]
    head = [
        text_element("th", column, scope="col", class_=kind)
        for column, kind in zip(table.columns, kinds, strict=True)
    ]
    body: list[str] = []
    for number, (name, *cells) in enumerate(table.rows):
        note = text_element("small", table.notes[number]) if number in table.notes else ""
        data = (
            text_element("td", cell, class_=kind)
            for cell, kind in zip(cells, kinds[1:], strict=True)
        )
        is_total = table.has_total and number == len(table.rows) - 1
        row = [element("th", escape(name), note, scope="row"), *data]
        body.append(element("tr", *row, class_="total" if is_total else None))
    caption = text_element("caption", table.title)
    content = [element("thead", element("tr", *head)), element("tbody", *body)]
    label = {"role": "region", "aria_label": table.title}
    return element("div", element("table", caption, *content), class_="scroll", tabindex=0, **label)


def key_figures(figures: Iterable[tuple[str, str, str]]) -> Chart:
    """Return the most important figures in large type: a label, a value and a note each."""
    tiles = (
        element(
            "div",
            text_element("dt", label),
            element("dd", text_element("strong", value), text_element("span", note)),
        )
        for label, value, note in figures
    )
    return Chart(element("dl", *tiles, class_="figures"))
