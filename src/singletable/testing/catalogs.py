"""The catalogs that a project names in its settings: `app.patterns`, `app.patterns:elections`."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from types import ModuleType

from singletable.errors import DeclarationError
from singletable.patterns import PatternCatalog
from singletable.schema import Table


def catalogues_named(names: Iterable[str]) -> list[PatternCatalog]:
    """The catalogs of some modules; those after a colon alone, if one is named."""
    found: list[PatternCatalog] = []
    for name in names:
        found += _named(name)
    return found


def tables_of(catalogs: Iterable[PatternCatalog]) -> tuple[Table, ...]:
    """All tables of some catalogs, each once."""
    return tuple(dict.fromkeys(table for one in catalogs for table in one.tables))


def _named(name: str) -> list[PatternCatalog]:
    module_name, _, chosen = name.partition(":")
    module = _imported(name, module_name)
    listed = {
        key: value for key, value in vars(module).items() if isinstance(value, PatternCatalog)
    }
    if not chosen and listed:
        return list(dict.fromkeys(listed.values()))
    if chosen not in listed:
        there = ", ".join(listed) or "none"
        wanted = f"no catalog {chosen!r}" if chosen else "no catalog"
        raise DeclarationError(
            f"singletable_catalogues names {name!r}, and there is {wanted} in {module_name} "
            f"(there is: {there}). Write module:name, such as app.patterns:catalog."
        )
    return [listed[chosen]]


def _imported(name: str, module_name: str) -> ModuleType:
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        # What is missing may be something that the module itself imports: that is its own error.
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise DeclarationError(
            f"singletable_catalogues names {name!r}, and there is no module {error.name!r} to "
            "import. Write it as an import has it, such as app.patterns; pythonpath in the "
            "settings of pytest says where modules are."
        ) from None
