"""The apps that exist: packages beside this one that have a module `door`."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TypeAlias, cast

import singletable_apps
from singletable_apps.shared.doors import Door, Opened, Opening

Open: TypeAlias = Callable[[Opening], AbstractContextManager[Opened]]


@dataclass(frozen=True, slots=True)
class Found:
    """An app: the folder that it is, how it is shown, and what opens it."""

    folder: str
    door: Door
    opened: Open


def find_apps() -> tuple[Found, ...]:
    """All apps there are, by name; nothing has to be registered anywhere."""
    packages = [one.name for one in pkgutil.iter_modules(singletable_apps.__path__) if one.ispkg]
    modules = {name: f"{singletable_apps.__name__}.{name}.door" for name in packages}
    found = [_found(name, module) for name, module in modules.items() if find_spec(module)]
    return tuple(sorted(found, key=lambda app: app.door.name))


def _found(folder: str, name: str) -> Found:
    module = import_module(name)
    made = module.door()
    if not isinstance(made, Door):
        raise TypeError(f"Expected {name}.door() to give a Door, but got {made!r:.80}.")
    opened = getattr(module, "opened", None)
    if not callable(opened):
        raise TypeError(f"Expected {name}.opened to be a function, as shared/doors.py describes.")
    # What it gives is looked at where it is called.
    return Found(folder, made, cast(Open, opened))
