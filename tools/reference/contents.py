"""The contents of the reference: every page with its entries, and the place of each definition."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import dynamodb_engine
import singletable
from singletable import errors
from tools.reference.definitions import Definition, exported, find, first_line
from tools.reference.pages import PAGES, PUBLIC_MODULES, Page, Section

OPERATIONS = "dynamodb_engine.operations"


@dataclass(frozen=True, slots=True)
class Placement:
    """A definition on a page, under a heading."""

    page: str
    heading: str
    definition: Definition

    @property
    def anchor(self) -> str:
        """The anchor of the heading."""
        return self.heading.lower().replace(" ", "-").replace("(", "").replace(")", "")


@dataclass(frozen=True, slots=True)
class Contents:
    """All pages, and the placement of each definition."""

    pages: tuple[Page, ...]
    sections: dict[tuple[str, str], list[Placement]]
    placements: dict[tuple[str, str], Placement]

    def find(self, definition: Definition) -> Placement | None:
        """Return where a definition is documented, or None."""
        return self.placements.get((definition.module, definition.name))


def build_contents() -> Contents:
    """Assign every public name to a page and a section."""
    listed = {
        (one := _definition(_qualified(page, name))).module + one.name
        for page in PAGES
        for section in page.sections
        for name in section.names.split()
    }
    others: dict[str, list[str]] = {}
    names = [*singletable.__all__, *_of_the_engine(), *_other_operations(), *_other_errors()]
    names += [f"{module}:{name}" for module in PUBLIC_MODULES for name in exported(module)]
    # In source order, which keeps related names together.
    for name in sorted(names, key=_source_position):
        definition = _definition(name)
        if definition.module + definition.name not in listed:
            listed.add(definition.module + definition.name)
            others.setdefault(_page_of(name), []).append(name)
    pages = [_with_names(page, others.pop(page.name, [])) for page in PAGES] + [
        _new_page(package, names) for package, names in sorted(others.items())
    ]
    sections: dict[tuple[str, str], list[Placement]] = {}
    placements: dict[tuple[str, str], Placement] = {}
    for page in pages:
        headings: set[str] = set()
        for section in page.sections:
            names = [_qualified(page, name) for name in section.names.split()]
            placed = [_place(page.name, name, headings) for name in names]
            sections[page.name, section.title] = placed
            placements |= {(one.definition.module, one.definition.name): one for one in placed}
    return Contents(tuple(pages), sections, placements)


def _qualified(page: Page, name: str) -> str:
    return f"{page.module}:{name}" if page.module and ":" not in name else name


def _place(page: str, name: str, headings: set[str]) -> Placement:
    definition = _definition(name)
    heading = definition.name
    # `Attr` and `attr` have the same anchor.
    if heading.lower() in headings:
        heading = f"{heading} (function)"
    headings.add(heading.lower())
    return Placement(page, heading, definition)


def _definition(name: str) -> Definition:
    module, _, inner = name.rpartition(":")
    definition = find(module or _package(name), inner or name)
    if definition is None:
        raise LookupError(
            f"{module or _package(name)} does not define {name}, which is in singletable.__all__ "
            "or in tools/reference/pages.py. Remove it there, or write module:Name if it is not "
            "public."
        )
    return definition


def _source_position(name: str) -> tuple[str, int]:
    definition = _definition(name)
    return definition.module, definition.node.lineno


def _package(name: str) -> str:
    modules: dict[str, str] = vars(singletable)["_MODULE_OF"]
    return modules.get(name, OPERATIONS)


def _of_the_engine() -> Iterator[str]:
    """Iterate over public names of the engine that `singletable` does not export."""
    modules: dict[str, str] = vars(dynamodb_engine)["_MODULE_OF"]
    for name, module in modules.items():
        if name not in singletable.__all__:
            yield f"{module}:{name}"


def _other_operations() -> Iterator[str]:
    """Iterate over operations and shapes that only `dynamodb_engine.operations` exports."""
    for name in exported(OPERATIONS):
        if name not in singletable.__all__:
            yield name
        elif _package(name) != OPERATIONS:
            # `singletable` exports another package's class of the same name.
            yield f"{OPERATIONS}:{name}"


def _other_errors() -> Iterator[str]:
    """Iterate over the errors that only `singletable.errors` exports."""
    for name, value in vars(errors).items():
        is_own = isinstance(value, type) and value.__module__ == errors.__name__
        if is_own and name not in singletable.__all__:
            yield f"{errors.__name__}:{name}"


def _page_of(name: str) -> str:
    package = name.rpartition(":")[0] or _package(name)
    if package == OPERATIONS and _is_operation(name.rpartition(":")[2]):
        return "operations"
    return next((page.name for page in PAGES if package in page.packages), package)


def _is_operation(name: str) -> bool:
    value = getattr(importlib.import_module(OPERATIONS), name)
    return isinstance(value, type) and issubclass(value, singletable.Operation)


def _with_names(page: Page, names: list[str]) -> Page:
    if not names:
        return page
    title = "More" if page.sections else "All"
    return replace(page, sections=(*page.sections, Section(title, " ".join(names))))


def _new_page(package: str, names: list[str]) -> Page:
    name = package.rpartition(".")[2]
    introduction = first_line(package)
    if package in PUBLIC_MODULES:
        introduction += f" All names are in `{package}`."
    return Page(name, package, introduction, (Section("All", " ".join(names)),))
