"""Import an app's module and find the tables and access patterns that it declares."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast

from singletable.errors import DeclarationError
from singletable.patterns import Pattern, PatternCatalog, find_catalogs
from singletable.patterns.pattern import BasePattern
from singletable.schema import Table, find_tables, table_of


def load_tables(app: str) -> list[Table]:
    """Return the tables that a module declares or imports, in the order of definition.

    `shop.entities:orders` selects one table of the module.
    """
    module_name, colon, name = app.partition(":")
    module = load_module(module_name)
    if colon:
        return [_named_table(module, name)]
    tables = find_tables(module)
    if not tables:
        raise DeclarationError(
            f"The module {app} declares no table. "
            f"{_suggest_module(module, 'entities', 'a Table(…)')}"
        )
    return tables


def load_schema(app: str) -> tuple[ModuleType, list[Table]]:
    """Return a module and all its tables, which its schema.lock and migrations are about."""
    module = load_module(app)
    return module, load_tables(app)


def load_catalogs(app: str) -> tuple[ModuleType, list[PatternCatalog]]:
    """Return a module and the pattern catalogs that it declares or imports."""
    module = load_module(app)
    catalogs = find_catalogs(module)
    if not catalogs:
        raise DeclarationError(
            f"The module {app} declares no access patterns. "
            f"{_suggest_module(module, 'patterns', 'a PatternCatalog(…)')}"
        )
    return module, catalogs


def load_pattern(app: str, name: str) -> Pattern:
    """Return a pattern by its code, by catalog:code, or by its variable name in the module."""
    module, catalogs = load_catalogs(app)
    named: Any = vars(module).get(name)
    if isinstance(named, BasePattern):
        return cast("Pattern", named)
    patterns = [pattern for catalog in catalogs for pattern in catalog]
    matches = [pattern for pattern in patterns if name in (pattern.code, pattern.id)]
    if len(matches) == 1:
        return matches[0]
    if matches:
        ids = ", ".join(pattern.id for pattern in matches)
        raise DeclarationError(f"{app} has several patterns {name!r}. Use one of: {ids}.")
    codes = ", ".join(pattern.code for pattern in patterns) or "none"
    raise DeclarationError(f"{app} has no pattern {name!r}. Its patterns: {codes}.")


def load_module(app: str) -> ModuleType:
    """Import a module, with the current directory on the import path."""
    _check_module_name(app)
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(app)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{app}.".startswith(f"{error.name}."):
            raise DeclarationError(_describe_missing(app, error.name, here)) from None
        raise DeclarationError(_describe_failure(app, error)) from None
    except (Exception, SystemExit) as error:
        raise DeclarationError(_describe_failure(app, error)) from None


def _named_table(module: ModuleType, name: str) -> Table:
    table = table_of(getattr(module, name, None))
    if table is not None:
        return table
    tables = [key for key, value in vars(module).items() if isinstance(value, Table)]
    raise DeclarationError(
        f"The module {module.__name__} has no table {name!r}. Its tables: "
        f"{', '.join(tables) or 'none'}."
    )


def _check_module_name(app: str) -> None:
    if app and all(part.isidentifier() for part in app.split(".")) and not app.endswith(".py"):
        return
    likely = app.removesuffix(".py").strip("/").replace("/", ".").partition(":")[0]
    likely = likely.removeprefix("src.")
    valid = all(part.isidentifier() for part in likely.split("."))
    hint = f" Did you mean {likely}?" if valid else ""
    raise DeclarationError(
        f"{app!r} is not a module name. Write it as in an import, such as shop.entities.{hint}"
    )


def _describe_missing(app: str, missing: str, here: str) -> str:
    parent = "" if missing == app else f" (there is no {missing})"
    return (
        f"There is no module {app}{parent}, neither in {here} nor installed. Run the command in "
        "the directory that contains it, or install its package."
    )


def _describe_failure(app: str, error: BaseException) -> str:
    """Return a message with the error of an import and the line that raised it."""
    from singletable.migration.migrations import describe_import_failure

    return describe_import_failure(f"The module {app}", error)


def _suggest_module(module: ModuleType, usual: str, value: str) -> str:
    """Suggest the submodule where a package usually declares such values, if it exists."""
    likely = f"{module.__name__}.{usual}"
    if hasattr(module, "__path__") and find_spec(likely) is not None:
        return f"Did you mean {likely}?"
    return f"Name the module that creates {value}."
