"""The pages as text: what is written into docs/reference, and what the tests compare it with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from singletable import errors
from tools.reference import commands
from tools.reference.contents import Contents, Placed, contents
from tools.reference.entry import entry_of, names_in
from tools.reference.pages import Page
from tools.reference.source import Definition, find

FOLDER = Path(__file__).parents[2] / "docs/reference"


def render() -> dict[str, str]:
    """Every page by the name of its file."""
    found = contents()
    pages = {f"{page.name}.md": _text(_page(found, page)) for page in found.pages}
    pages[f"{commands.NAME}.md"] = _text(commands.lines())
    pages["README.md"] = _text(_first(found))
    return pages


def _text(lines: Iterator[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"


def _first(found: Contents) -> Iterator[str]:
    yield from ("# Reference", "")
    yield "Written from the code, by `make reference`. The [guide](../guide/README.md) explains it."
    yield ""
    for page in found.pages:
        yield from (f"## [{page.title}]({page.name}.md)", "")
        for section in page.sections[:-1] if page.long else page.sections:
            names = [_link(one, "README") for one in found.sections[page.name, section.title]]
            yield from (f"{section.title}: {' · '.join(names)}", "")
    yield f"## [{commands.TITLE}]({commands.NAME}.md)"


def _page(found: Contents, page: Page) -> Iterator[str]:
    yield from (f"# {page.title}", "", page.about, "")
    if page.name == "errors":
        tree = (errors.__doc__ or "").partition("\n\n")[2].partition("\n\n")[0]
        yield from ("```text", tree, "```", "")
    for section in page.sections:
        if len(page.sections) > 1:
            yield from (f"## {section.title}", "")
        for placed in found.sections[page.name, section.title]:
            yield from _entry(found, placed)


def _entry(found: Contents, placed: Placed) -> Iterator[str]:
    entry = entry_of(placed.definition)
    yield from (f"### {placed.heading}", "", *entry.lines)
    where: list[str] = []
    others: list[str] = []
    for name, definition in entry.mentions.items():
        place = found.place_of(definition)
        if place is not None:
            others.append(_link(place, placed.page))
        elif said := _alias(definition):
            where.append(f"`{name}` is `{said}`")
            inner = (find(definition.module, one) for one in names_in(said))
            places = (found.place_of(one) for one in inner if one is not None)
            others += [_link(one, placed.page) for one in places if one is not None]
    if where:
        yield from (f"Here {'; '.join(where)}.", "")
    if others:
        yield from (f"See {', '.join(dict.fromkeys(others))}.", "")


def _alias(definition: Definition) -> str:
    """What a name for a type stands for; nothing if it is a type itself."""
    value = getattr(definition.node, "value", None)
    return "" if value is None else definition.said(value).strip("\"'")


def _link(to: Placed, page: str) -> str:
    target = f"#{to.anchor}" if to.page == page else f"{to.page}.md#{to.anchor}"
    return f"[{to.definition.name}]({target})"
