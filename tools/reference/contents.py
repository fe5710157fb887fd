"""Where every name stands: the pages with all their entries, and the links between them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import singletable
from tools.reference.pages import PAGES, Page, Section
from tools.reference.source import Definition, exported, find, sentence

OPERATIONS = "singletable.operations"


@dataclass(frozen=True, slots=True)
class Placed:
    """A name on a page, below the heading that leads to it."""

    page: str
    heading: str
    definition: Definition

    @property
    def anchor(self) -> str:
        """The heading as links spell it."""
        return self.heading.lower().replace(" ", "-").replace("(", "").replace(")", "")


@dataclass(frozen=True, slots=True)
class Contents:
    """All pages, and the place of each definition."""

    pages: tuple[Page, ...]
    sections: dict[tuple[str, str], list[Placed]]
    places: dict[tuple[str, str], Placed]

    def place_of(self, definition: Definition) -> Placed | None:
        """Where a definition is told, if it is."""
        return self.places.get((definition.module, definition.name))


def contents() -> Contents:
    """The pages as they are to be written now."""
    listed = {name for page in PAGES for one in page.sections for name in one.names.split()}
    others: dict[str, list[str]] = {}
    # In the order of the sources, where what belongs together stands together.
    for name in sorted([*singletable.__all__, *_other_operations()], key=_written_at):
        if name not in listed:
            others.setdefault(_page_for(name), []).append(name)
    pages = [_with(page, others.pop(page.name, [])) for page in PAGES] + [
        _new_page(room, names) for room, names in sorted(others.items())
    ]
    sections: dict[tuple[str, str], list[Placed]] = {}
    places: dict[tuple[str, str], Placed] = {}
    for page in pages:
        headings: set[str] = set()
        for section in page.sections:
            placed = [_placed(page.name, name, headings) for name in section.names.split()]
            sections[page.name, section.title] = placed
            places |= {(one.definition.module, one.definition.name): one for one in placed}
    return Contents(tuple(pages), sections, places)


def _placed(page: str, name: str, headings: set[str]) -> Placed:
    definition = _definition(name)
    heading = definition.name
    # `Attr` and `attr` are one heading to a link.
    if heading.lower() in headings:
        heading = f"{heading} (function)"
    headings.add(heading.lower())
    return Placed(page, heading, definition)


def _definition(name: str) -> Definition:
    module, _, inner = name.rpartition(":")
    found = find(module or _room(name), inner or name)
    if found is None:
        raise LookupError(
            f"The reference is to tell of {name}, and {module or _room(name)} has no such name. It "
            "is in singletable.__all__, or on a page of tools/reference/pages.py, where a name "
            "that is not public is written module:Name."
        )
    return found


def _written_at(name: str) -> tuple[str, int]:
    definition = _definition(name)
    return definition.module, definition.node.lineno


def _room(name: str) -> str:
    modules: dict[str, str] = vars(singletable)["_MODULE_OF"]
    return modules.get(name, OPERATIONS)


def _other_operations() -> Iterator[str]:
    """The operations and shapes that only their own room exports."""
    for name in exported(OPERATIONS):
        if name not in singletable.__all__:
            yield name
        elif _room(name) != OPERATIONS:
            # Another room's name at the one door, and something else here.
            yield f"{OPERATIONS}:{name}"


def _page_for(name: str) -> str:
    room = OPERATIONS if ":" in name else _room(name)
    if room == OPERATIONS and _is_operation(name.rpartition(":")[2]):
        return "operations"
    return next((page.name for page in PAGES if room in page.rooms), room)


def _is_operation(name: str) -> bool:
    value = getattr(importlib.import_module(OPERATIONS), name)
    return isinstance(value, type) and issubclass(value, singletable.Operation)


def _with(page: Page, names: list[str]) -> Page:
    if not names:
        return page
    title = "More" if page.sections else "All of them"
    return replace(page, sections=(*page.sections, Section(title, " ".join(names))))


def _new_page(room: str, names: list[str]) -> Page:
    name = room.rpartition(".")[2]
    return Page(name, name.capitalize(), sentence(room), (Section("All of them", " ".join(names)),))
