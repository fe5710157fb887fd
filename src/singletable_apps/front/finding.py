"""The apps that exist: packages beside this one that have a module `door`."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from importlib.util import find_spec

import singletable_apps
from singletable_apps.shared.doors import Door


@cache
def doors() -> tuple[Door, ...]:
    """All doors there are, by name; nothing has to be registered anywhere."""
    packages = [one.name for one in pkgutil.iter_modules(singletable_apps.__path__) if one.ispkg]
    modules = [f"{singletable_apps.__name__}.{package}.door" for package in packages]
    found = [_door(name) for name in modules if find_spec(name) is not None]
    return tuple(sorted(found, key=lambda door: door.name))


def _door(module: str) -> Door:
    made = import_module(module).door()
    if not isinstance(made, Door):
        raise TypeError(f"Expected {module}.door() to give a Door, but got {made!r:.80}.")
    return made
