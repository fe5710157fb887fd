"""Find the installed apps and open them together."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import singletable_apps
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp, SiteApp
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.serve import EXPECTED_ERRORS, PublicUrl, open_driver

OpenApp: TypeAlias = Callable[[AppContext], AbstractContextManager[RunningApp]]


class AppStartError(AppError):
    """An app could not be opened, so none is served."""


@dataclass(frozen=True, slots=True)
class DiscoveredApp:
    """An installed app: the name of its folder, what the home page shows, and how to open it."""

    folder: str
    info: AppInfo
    open: OpenApp


@dataclass(frozen=True, slots=True)
class ServedApp:
    """An open app and what the home page shows of it."""

    info: AppInfo
    running: RunningApp


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What the operator chose for all apps; see `AppContext`."""

    address: str | None = None
    sample: bool = False
    print_emails: bool = False
    smtp: str | None = None


def find_apps() -> tuple[DiscoveredApp, ...]:
    """Return every package of `singletable_apps` that has a module `app`, sorted by name."""
    packages = [
        package.name
        for package in pkgutil.iter_modules(singletable_apps.__path__)
        if package.ispkg and package.name != "home"
    ]
    modules = {folder: f"{singletable_apps.__name__}.{folder}.app" for folder in packages}
    apps = [_load_app(folder, name) for folder, name in modules.items() if find_spec(name)]
    return tuple(sorted(apps, key=lambda app: app.info.name))


def _load_app(folder: str, name: str) -> DiscoveredApp:
    app = getattr(import_module(name), "APP", None)
    if not isinstance(app, SiteApp):
        raise TypeError(f"Expected {name}.APP to be an AppSpec, but got {app!r:.80}.")
    return DiscoveredApp(folder, app.app_info(), app.open_app)


@contextmanager
def open_apps(
    apps: Iterable[DiscoveredApp], folder: Path, public: PublicUrl, options: ServeOptions
) -> Generator[tuple[ServedApp, ...]]:
    """Open each app with its own folder in `folder`, and close all of them at the end.

    If one cannot be opened, the others are closed and AppStartError is raised.
    """
    with ExitStack() as stack:
        # A process can open a database file only once, so the apps share one driver.
        driver = (
            stack.enter_context(open_driver(options.address))
            if options.address is not None
            else None
        )
        served: list[ServedApp] = []
        for app in apps:
            context = AppContext(
                folder / app.folder,
                public,
                options.address,
                driver,
                options.sample,
                options.print_emails,
                options.smtp,
            )
            try:
                running = stack.enter_context(app.open(context))
            except EXPECTED_ERRORS as error:
                raise AppStartError(f"{app.info.name} could not start. {error}") from error
            served.append(ServedApp(app.info, running))
        yield tuple(served)
