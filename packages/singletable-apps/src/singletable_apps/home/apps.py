"""Find the installed apps and open them together."""

from __future__ import annotations

import multiprocessing
import os
import pkgutil
import threading
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import singletable_apps
from singletable_apps.shared.apps import RunningApp, ServeOptions
from singletable_apps.shared.errors import AppError, NotFound
from singletable_apps.shared.frame import AppSpec
from singletable_apps.shared.serve import EXPECTED_ERRORS, PublicUrl, open_driver, progress_bar


class AppStartError(AppError):
    """An app could not be opened, so none is served."""


def find_apps() -> tuple[AppSpec[Any], ...]:
    """Return `APP` of every package of `singletable_apps` with a module `app`, sorted by title."""
    packages = [
        package.name
        for package in pkgutil.iter_modules(singletable_apps.__path__)
        if package.ispkg and package.name != "home"
    ]
    modules = [f"{singletable_apps.__name__}.{package}.app" for package in packages]
    apps = [_load_app(name) for name in modules if find_spec(name)]
    return tuple(sorted(apps, key=lambda app: app.title))


def find_app(name: str) -> AppSpec[Any]:
    """Return the app with this name, or raise NotFound."""
    apps = {app.name: app for app in find_apps()}
    if name not in apps:
        raise NotFound(f"There is no app {name!r}. The apps are: {', '.join(apps)}.")
    return apps[name]


def _load_app(name: str) -> AppSpec[Any]:
    app = getattr(import_module(name), "APP", None)
    if not isinstance(app, AppSpec):
        raise TypeError(f"Expected {name}.APP to be an AppSpec, but got {app!r:.80}.")
    return app


def create_samples(apps: Sequence[AppSpec[Any]], folder: Path, public: PublicUrl) -> None:
    """Create sample data in a process per app, so that all cores are used.

    If one fails, the app creates its sample when it is opened, or says why it cannot.
    """
    # Processes that are forked have imported the apps already. With threads, they could hang.
    if threading.active_count() > 1:
        return
    fork = multiprocessing.get_context("fork")
    processes = [
        fork.Process(target=_create_sample, args=(app, folder / app.name, public), daemon=True)
        for app in apps
    ]
    for process in processes:
        process.start()
    with progress_bar("Creating sample data") as progress:
        for done, process in enumerate(processes, 1):
            process.join()
            progress(done, len(processes))


def _create_sample(app: AppSpec[Any], folder: Path, public: PublicUrl) -> None:
    # One progress bar is enough, and errors are reported once.
    with (
        open(os.devnull, "w") as nothing,
        redirect_stderr(nothing),
        suppress(Exception, KeyboardInterrupt),
    ):
        app.create_sample(folder, public)


@contextmanager
def open_apps(
    apps: Sequence[AppSpec[Any]], folder: Path, public: PublicUrl, options: ServeOptions
) -> Generator[tuple[RunningApp, ...]]:
    """Open each app with its own folder in `folder`, and close all of them at the end.

    If one cannot be opened, the others are closed and AppStartError is raised.
    """
    if options.sample and options.address is None:
        create_samples([app for app in apps if not (folder / app.name).exists()], folder, public)
    with ExitStack() as stack:
        # A process can open a database file only once, so the apps share one driver.
        driver = stack.enter_context(open_driver(options.address)) if options.address else None
        running: list[RunningApp] = []
        for app in apps:
            opening = app.open_app(folder / app.name, public, options, driver)
            try:
                running.append(stack.enter_context(opening))
            except EXPECTED_ERRORS as error:
                raise AppStartError(f"{app.title} could not start. {error}") from error
        yield tuple(running)
