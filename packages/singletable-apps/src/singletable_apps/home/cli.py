"""The commands of the site: `singletable serve`, `outbox` and `bounce`."""

from __future__ import annotations

from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable_apps.shared import app_commands
from singletable_apps.shared.cli import FolderOption

if TYPE_CHECKING:
    from singletable_apps.shared.frame import AppSpec

_APP = typer.Argument(metavar="APP", help="The name of an app.")
_FOLDER: app_commands.Option = ("folder", FolderOption, app_commands.SITE)
_OF_APP: tuple[app_commands.Option, ...] = (
    ("app", Annotated[str, _APP], Parameter.empty),
    _FOLDER,
)


def _find_app(name: str) -> AppSpec[Any]:
    from singletable_apps.home.apps import find_app

    return find_app(name)


def _serve(given: dict[str, Any]) -> None:
    from singletable_apps.home.serve import serve_site

    name, folder = given.pop("app"), given.pop("folder")
    if name:
        app_commands.serve_alone(_find_app(name), folder / name, given)
    else:
        serve_site(folder, *app_commands.read_serving(given))


def _print_outbox(given: dict[str, Any]) -> None:
    name, folder = given.pop("app"), given.pop("folder")
    app_commands.print_outbox(_find_app(name), folder / name, given)


def _note_bounce(given: dict[str, Any]) -> None:
    name, folder = given.pop("app"), given.pop("folder")
    app_commands.note_bounce(_find_app(name), folder / name, given)


serve = app_commands.make_command(
    "Serve the home page, the guide and all applications, or one application alone.\n\n"
    "Missing tables and keys are created. Keep a backup of the keys in a safe place. Each "
    "application has a folder of its own below the folder.",
    (("app", Annotated[str, _APP], ""), _FOLDER, *app_commands.SERVING),
    _serve,
)
outbox = app_commands.make_command(
    app_commands.OUTBOX_HELP, (*_OF_APP, *app_commands.OUTBOX), _print_outbox
)
bounce = app_commands.make_command(
    app_commands.BOUNCE_HELP, (*_OF_APP, *app_commands.BOUNCE), _note_bounce
)
