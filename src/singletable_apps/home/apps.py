"""The apps that exist: packages beside this one that have a module `door`."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias, cast

import singletable_apps
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.serve import EXPECTED_ERRORS, PublicUrl, open_driver

Open: TypeAlias = Callable[[AppContext], AbstractContextManager[RunningApp]]


@dataclass(frozen=True, slots=True)
class DiscoveredApp:
    """An app: the folder that it is, how it is shown, and what opens it."""

    folder: str
    info: AppInfo
    open: Open


def find_apps() -> tuple[DiscoveredApp, ...]:
    """All apps there are, by name; nothing has to be registered anywhere."""
    installed = pkgutil.iter_modules(singletable_apps.__path__)
    packages = [package.name for package in installed if package.ispkg and package.name != "home"]
    modules = {name: f"{singletable_apps.__name__}.{name}.app" for name in packages}
    found = [_found(name, module) for name, module in modules.items() if find_spec(module)]
    return tuple(sorted(found, key=lambda app: app.info.name))


def _found(folder: str, name: str) -> DiscoveredApp:
    module = import_module(name)
    made = module.app_info()
    if not isinstance(made, AppInfo):
        raise TypeError(f"Expected {name}.app_info() to return an AppInfo, but got {made!r:.80}.")
    opened = getattr(module, "open_app", None)
    if not callable(opened):
        raise TypeError(f"Expected {name}.open_app to be a function, as shared/apps.py describes.")
    # What it gives is looked at where it is called.
    return DiscoveredApp(folder, made, cast(Open, opened))


class NotOpened(AppError):
    """An app cannot be opened, so none is served."""


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What an operator wishes of all apps: see `Opening`."""

    at: str | None = None
    sample: bool = False
    print_emails: bool = False
    smtp: str | None = None


@dataclass(frozen=True, slots=True)
class ServedApp:
    """An app that is open, and how it is shown."""

    info: AppInfo
    running: RunningApp


@contextmanager
def open_apps(
    apps: Iterable[DiscoveredApp], folder: Path, public: PublicUrl, wishes: ServeOptions
) -> Generator[tuple[ServedApp, ...]]:
    """The apps, until the end; if one cannot be opened, those before it are closed again."""
    with ExitStack() as stack:
        # A file is open once in a process, so all apps share what is at an address.
        driver = stack.enter_context(open_driver(wishes.at)) if wishes.at is not None else None
        served: list[ServedApp] = []
        for app in apps:
            opening = AppContext(
                folder / app.folder,
                public,
                wishes.at,
                driver,
                wishes.sample,
                wishes.print_emails,
                wishes.smtp,
            )
            try:
                opened = stack.enter_context(app.open(opening))
            except EXPECTED_ERRORS as refusal:
                raise NotOpened(f"{app.info.name} cannot be opened. {refusal}") from refusal
            served.append(ServedApp(app.info, opened))
        yield tuple(served)
