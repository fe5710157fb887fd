"""Read the plugin's configuration: the setting singletable_catalogs and the marker faults."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from types import ModuleType

import pytest

from dynamodb_engine.faults import Faults
from singletable.errors import DeclarationError, FaultsError
from singletable.patterns import PatternCatalog
from singletable.schema import Table


def load_catalogs(names: Iterable[str]) -> list[PatternCatalog]:
    """Return the catalogs of modules: `app.patterns` has all, `app.patterns:elections` one."""
    return [catalog for name in names for catalog in _load(name)]


def tables_of(catalogs: Iterable[PatternCatalog]) -> tuple[Table, ...]:
    """Return the tables of the catalogs, without duplicates."""
    return tuple(dict.fromkeys(table for catalog in catalogs for table in catalog.tables))


def faults_from_marker(item: pytest.Item) -> Faults | None:
    """Return the faults of a test marked `@pytest.mark.faults(throttle=0.1)`, or None."""
    marker = item.get_closest_marker("faults")
    if marker is None:
        return None
    known = Faults.__struct_fields__
    unknown = [*map(repr, marker.args), *(set(marker.kwargs) - set(known))]
    if unknown or not marker.kwargs:
        raise FaultsError(
            f"{item.nodeid}: @pytest.mark.faults expects faults by name, such as throttle=0.1, but "
            f"got {', '.join(sorted(unknown)) or 'none'}. Known faults: {', '.join(known)}."
        )
    return Faults(**marker.kwargs)


def _load(name: str) -> list[PatternCatalog]:
    module_name, _, variable = name.partition(":")
    module = _import(name, module_name)
    catalogs = {
        key: value for key, value in vars(module).items() if isinstance(value, PatternCatalog)
    }
    if not variable and catalogs:
        return list(dict.fromkeys(catalogs.values()))
    if variable not in catalogs:
        missing = f"no catalog {variable!r}" if variable else "no catalog"
        raise DeclarationError(
            f"singletable_catalogs names {name!r}, but {module_name} has {missing} (catalogs: "
            f"{', '.join(catalogs) or 'none'}). Write module:name, such as app.patterns:catalog."
        )
    return [catalogs[variable]]


def _import(name: str, module_name: str) -> ModuleType:
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        # An import inside the module may have failed: that error is raised as it is.
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise DeclarationError(
            f"singletable_catalogs names {name!r}, but there is no module {error.name!r}. Write "
            "it as in an import, such as app.patterns. The setting pythonpath of pytest says where "
            "modules are."
        ) from None
