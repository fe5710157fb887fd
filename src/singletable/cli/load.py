"""What a module declares, for commands that read a declaration."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from importlib.util import find_spec
from types import ModuleType
from typing import Any, cast

from singletable.errors import DeclarationError
from singletable.patterns import Pattern, PatternCatalog, find_catalogs
from singletable.patterns.pattern import BasePattern
from singletable.schema import Table
from singletable.schema.fields import declared_entity
from singletable.schema.model import MODELS


def load_tables(app: str) -> list[Table]:
    """The tables that a module declares or that its entities are in, in the order of its names.

    With a name behind the module, `shop.entities:orders`, it is that one table.
    """
    module_name, colon, name = app.partition(":")
    module = load_module(module_name)
    if colon:
        return [_named(module, name)]
    tables = tables_in(module)
    if not tables:
        raise DeclarationError(
            f"The module {app} declares no table. {_instead(module, 'entities', 'a Table(…)')}"
        )
    return tables


def load_catalogues(app: str) -> tuple[ModuleType, list[PatternCatalog]]:
    """A module, and the catalogs of access patterns that it declares or imports."""
    module = load_module(app)
    catalogs = find_catalogs(module)
    if not catalogs:
        raise DeclarationError(
            f"The module {app} declares no catalog of access patterns. "
            f"{_instead(module, 'patterns', 'a PatternCatalog(…)')}"
        )
    return module, catalogs


def load_pattern(app: str, name: str) -> Pattern:
    """A pattern of a module by its code, by its catalog and code, or by its name there."""
    module, catalogs = load_catalogues(app)
    named: Any = vars(module).get(name)
    if isinstance(named, BasePattern):
        return cast("Pattern", named)
    every = [pattern for catalog in catalogs for pattern in catalog]
    found = [pattern for pattern in every if name in (pattern.code, pattern.id)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(pattern.id for pattern in found)
        raise DeclarationError(f"{app} has several patterns {name!r}. Say which: {ids}.")
    codes = ", ".join(pattern.code for pattern in every) or "none"
    raise DeclarationError(f"{app} has no pattern {name!r}. There are: {codes}.")


def load_module(app: str) -> ModuleType:
    """The module, run once; what is in the current directory can be named."""
    _check_name(app)
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(app)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{app}.".startswith(f"{error.name}."):
            raise DeclarationError(_not_found(app, error.name, here)) from None
        raise DeclarationError(_broken(app, error)) from None
    except (Exception, SystemExit) as error:
        raise DeclarationError(_broken(app, error)) from None


def tables_in(module: ModuleType) -> list[Table]:
    """The tables among a module's names, and those of the entities among them."""
    found: list[Table] = []
    for value in vars(module).values():
        table = _table_of(value)
        if table is not None and table not in found:
            found.append(table)
    return found


def _named(module: ModuleType, name: str) -> Table:
    table = _table_of(getattr(module, name, None))
    if table is not None:
        return table
    there = [one for one, value in vars(module).items() if isinstance(value, Table)]
    raise DeclarationError(
        f"The module {module.__name__} has no table {name!r} "
        f"(there are: {', '.join(there) or 'none'})."
    )


def _table_of(value: object) -> Table | None:
    if isinstance(value, Table):
        return value
    if not isinstance(value, type):
        return None
    model = MODELS.get(declared_entity(cast("type[object]", value)))
    return None if model is None else model.table


def _check_name(app: str) -> None:
    if app and all(part.isidentifier() for part in app.split(".")) and not app.endswith(".py"):
        return
    likely = app.removesuffix(".py").strip("/").replace("/", ".").partition(":")[0]
    likely = likely.removeprefix("src.")
    hint = f" Is it {likely}?" if all(part.isidentifier() for part in likely.split(".")) else ""
    raise DeclarationError(
        f"{app!r} is not the name of a module. Write it as an import has it, such as "
        f"shop.entities.{hint}"
    )


def _not_found(app: str, missing: str, here: str) -> str:
    where = "" if missing == app else f" (there is no {missing})"
    return (
        f"There is no module {app}{where}: neither in {here} nor among what is installed. "
        "Run the command where an import of it would work."
    )


def _broken(app: str, error: BaseException) -> str:
    """What the module raised, and the line of the module it was at."""
    if isinstance(error, SyntaxError):
        return f"The module {app} is no Python: {error}"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if "importlib" not in frame.filename and frame.name == "<module>"
    ]
    place = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"The module {app} could not be imported{place}: {type(error).__name__}: {error}"


def _instead(module: ModuleType, usual: str, what: str) -> str:
    """Where such things of a package usually are, if it has such a module."""
    likely = f"{module.__name__}.{usual}"
    if hasattr(module, "__path__") and find_spec(likely) is not None:
        return f"Is it {likely}?"
    return f"Name the module in which {what} is made."
