"""Find where an app declares its tables, entities and patterns; import it with edited sources."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from singletable.cli.app_loader import load_module
from singletable.errors import DeclarationError
from singletable.patterns import PatternCatalog, find_catalogs
from singletable.schema import Model, Table, find_tables, model_of
from singletable_design.cli.new.source_edits import CannotEdit, ModuleSource


@dataclass(frozen=True, slots=True)
class Declared:
    """A value of an app: the module that creates it, and its name there."""

    module: ModuleType
    variable: str

    @property
    def module_name(self) -> str:
        """The name of the module."""
        return self.module.__name__


@dataclass(frozen=True, slots=True)
class AppModules:
    """Where an app declares what a new entity needs."""

    app: str
    table: Table
    table_at: Declared
    # The module for the new entity.
    entities: ModuleType
    catalog: PatternCatalog
    catalog_at: Declared
    owner: Model | None

    @property
    def root(self) -> Path:
        """The folder that contains the package or module."""
        path = module_path(self.entities)
        return path.parents[len(self.entities.__name__.split(".")) - 1 + (path.stem == "__init__")]

    def sources(self) -> dict[str, ModuleSource]:
        """Return the sources of the modules to edit, by name; the table's module is first."""
        modules = (self.table_at.module, self.entities, self.catalog_at.module)
        return {one.__name__: ModuleSource(one.__name__, module_path(one)) for one in modules}


def find_modules(app: str, owner: str | None) -> AppModules:
    """Find the modules of an app: APP itself, and `entities` and `patterns` beside or in it."""
    name, _, table_variable = app.partition(":")
    modules = _related_modules(load_module(name))
    tables = list(dict.fromkeys(table for one in modules for table in find_tables(one)))
    if not tables:
        raise DeclarationError(
            f"The module {name} declares no table. Name the module that creates a Table(…), or the "
            "package that contains it as entities.py. For a new app: singletable new app NAME"
        )
    owner_model = None if owner is None else _find_owner(tables, owner)
    table = _choose_table(app, modules, tables, table_variable, owner_model)
    table_at = _declared_at(modules, table, table.name)
    catalogs = [one for module in modules for one in find_catalogs(module) if table in one.tables]
    if not catalogs:
        raise DeclarationError(
            f"{name} has no access patterns for the table {table.name!r}. Declare a catalog in "
            f"{_patterns_module(table_at.module)}, to which patterns can be added: "
            f'patterns = PatternCatalog("{table.name}", {table_at.variable})'
        )
    entities = table_at.module
    if owner_model is not None or table.entities:
        last = table.entities[-1] if owner_model is None else owner_model.entity
        entities = sys.modules.get(last.__module__, entities)
    catalog_at = _declared_at(modules, catalogs[0], catalogs[0].name)
    return AppModules(app, table, table_at, entities, catalogs[0], catalog_at, owner_model)


def _related_modules(module: ModuleType) -> list[ModuleType]:
    """Return the module, and the modules `entities` and `patterns` in it or beside it."""
    package = module.__name__ if hasattr(module, "__path__") else module.__name__.rpartition(".")[0]
    names = [f"{package}.{one}" if package else one for one in ("entities", "patterns")]
    # Without a package, a module `entities` may belong to another project.
    names = [one for one in names if package or module.__name__ in names]
    related = [module, *(load_module(one) for one in names if find_spec(one) is not None)]
    # The modules from which these import tables, entities and catalogs.
    root = f"{module.__name__.partition('.')[0]}."
    used = [one for name, one in list(sys.modules.items()) if name.startswith(root)]
    for one in [*related]:
        tables = find_tables(one)
        related += [sys.modules[entity.__module__] for table in tables for entity in table.entities]
        values = [*tables, *find_catalogs(one)]
        related += [other for other in used if any(_variable(other, value) for value in values)]
    return list({one.__name__: one for one in related}.values())


def _patterns_module(module: ModuleType) -> str:
    package = module.__name__.rpartition(".")[0]
    return f"{package}.patterns" if package else module.__name__


def _find_owner(tables: Sequence[Table], name: str) -> Model:
    models = [model_of(entity) for table in tables for entity in table.entities]
    found = [model for model in models if model.name == name]
    if found:
        return found[0]
    names = [model.name for model in models]
    near = get_close_matches(name, names, 1, 0.6) or [
        one for one in names if one.lower() == name.lower()
    ]
    meant = f" Did you mean {near[0]}?" if near else ""
    raise DeclarationError(
        f"There is no entity {name!r}.{meant} Entities: {', '.join(names) or 'none'}."
    )


def _choose_table(
    app: str,
    modules: Sequence[ModuleType],
    tables: Sequence[Table],
    variable: str,
    owner: Model | None,
) -> Table:
    named = {_declared_at(modules, one, one.name).variable: one for one in tables}
    if variable and variable not in named:
        raise DeclarationError(f"{app}: there is no such table. Tables: {', '.join(named)}.")
    if owner is not None:
        if variable and named[variable] is not owner.table:
            raise DeclarationError(
                f"{owner.name} is in the table {owner.table.name!r}, and what it owns must be in "
                f"the same one, but {app} is the table {named[variable].name!r}."
            )
        return owner.table
    if not variable and len(tables) > 1:
        name = app.partition(":")[0]
        raise DeclarationError(
            f"{name} has several tables. Name one: {' or '.join(f'{name}:{one}' for one in named)}."
        )
    return named[variable] if variable else tables[0]


def _declared_at(modules: Sequence[ModuleType], value: object, name: str) -> Declared:
    """Return where a value is created: the module that has it, and does not import it."""
    found = [
        Declared(module, variable)
        for module in modules
        if (variable := _variable(module, value)) is not None
    ]
    for one in found:
        try:
            ModuleSource(one.module_name, module_path(one.module)).find_call(one.variable)
        except CannotEdit:
            continue
        return one
    if found:
        return found[0]
    raise DeclarationError(f"No module-level variable has {name!r}. Assign it to one.")


def _variable(module: ModuleType, value: object) -> str | None:
    return next((name for name, one in vars(module).items() if one is value), None)


def module_path(module: ModuleType) -> Path:
    """Return the file of a module; raise DeclarationError if it has none."""
    if module.__file__ is None:
        raise DeclarationError(f"The module {module.__name__} has no file to edit.")
    path = Path(module.__file__)
    if "site-packages" in path.parts:
        raise DeclarationError(
            f"The module {module.__name__} is installed in '{path.parent}'. Run the command in the "
            "folder with its source."
        )
    return path


class _EditedLoader(SourceFileLoader):
    """Loads a module from a text that is not written to its file yet."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text.encode()

    def get_data(self, path: str) -> bytes:
        """Return the edited source."""
        return self._text

    def path_stats(self, path: str) -> Mapping[str, Any]:
        """Raise: without the time of a change, no bytecode is read or written."""
        raise OSError("not a file")


@dataclass(frozen=True, slots=True)
class _EditedFinder(MetaPathFinder):
    """Finds the edited modules before all others."""

    files: Mapping[str, tuple[Path, str]]

    def find_spec(self, fullname: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return the spec of an edited module."""
        if fullname not in self.files:
            return None
        file, text = self.files[fullname]
        places = [str(file.parent)] if file.name == "__init__.py" else None
        loader = _EditedLoader(fullname, str(file), text)
        return spec_from_file_location(
            fullname, file, loader=loader, submodule_search_locations=places
        )


@contextmanager
def edited_modules(files: Mapping[str, tuple[Path, str]]) -> Generator[list[str]]:
    """Import the app again within the block, with these sources by module; yield its warnings.

    Nothing is written, and afterwards the modules are as before.
    """
    roots = {name.partition(".")[0] for name in files}
    before = {
        name: module for name, module in sys.modules.items() if name.partition(".")[0] in roots
    }
    finder = _EditedFinder(files)
    for name in before:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    messages: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for name in files:
                load_module(name)
        messages += [str(one.message) for one in caught]
        yield messages
    finally:
        sys.meta_path.remove(finder)
        for name in [one for one in sys.modules if one.partition(".")[0] in roots]:
            del sys.modules[name]
        sys.modules.update(before)
