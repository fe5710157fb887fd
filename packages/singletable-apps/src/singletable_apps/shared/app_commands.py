"""The commands of every app: `serve`, `outbox` and `bounce`, and the options that others share.

`singletable serve` takes the name of an app; an app in a package of its own has them by itself:

    app = app_commands("notebook.app")

Everything else is imported when a command runs, so that `--help` does not load the web framework.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable.cli.options import shared_option
from singletable_apps.shared import cli

if TYPE_CHECKING:
    from singletable_apps.shared.apps import ServeOptions
    from singletable_apps.shared.frame.spec import AppSpec
    from singletable_apps.shared.serve import ListenOptions

# An option: the name of the parameter, its annotation, and the default.
Option = tuple[str, Any, Any]
SITE = Path("singletable-data")
SERVING: tuple[Option, ...] = (
    ("at", cli.AddressOption, None),
    ("sample", cli.SampleOption, False),
    ("host", cli.HostOption, "127.0.0.1"),
    ("port", cli.PortOption, 8000),
    ("public", cli.PublicUrlOption, None),
    ("proxy", cli.ProxyOption, None),
    ("tls_cert", cli.TlsCertOption, None),
    ("tls_key", cli.TlsKeyOption, None),
    ("print_emails", cli.PrintEmailsOption, False),
    ("smtp", cli.SmtpOption, None),
    ("oidc", cli.OidcOption, None),
)
OUTBOX_HELP = "Print the latest e-mails in the outbox of an app, newest first."
OUTBOX: tuple[Option, ...] = (("at", cli.AddressOption, None),)
BOUNCE_HELP = """Note that an e-mail failed: reads the report of a mail server (RFC 3464).

Let the mail server pipe what comes back to the sender of --smtp into this command. The pages then
show which addresses do not work.
"""
BOUNCE: tuple[Option, ...] = (("at", cli.AddressOption, None),)


def app_commands(module: str, folder: Path = Path("data")) -> typer.Typer:
    """Return the commands of the app in a module with `APP`, whose data is in the folder."""
    app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode="markdown")
    place: Option = ("folder", cli.FolderOption, folder)

    def add(name: str, text: str, options: Sequence[Option], run: Callable[..., None]) -> None:
        def run_on_app(given: dict[str, Any]) -> None:
            run(load_app(module), given.pop("folder"), given)

        app.command(name)(make_command(text, (place, *options), run_on_app))

    add("serve", "Serve the app: its pages and its API.", SERVING, serve_alone)
    add("outbox", OUTBOX_HELP, OUTBOX, print_outbox)
    add("bounce", BOUNCE_HELP, BOUNCE, note_bounce)
    return app


def load_app(module: str) -> AppSpec[Any]:
    """Return the declaration of an app."""
    spec: AppSpec[Any] = import_module(module).APP
    return spec


def make_command(
    text: str, options: Sequence[Option], run: Callable[[dict[str, Any]], None]
) -> Callable[..., None]:
    """Return a command with these options as parameters, and the text as its help."""

    def command(**given: Any) -> None:
        with cli.exit_on_error():
            run(given)

    kind = inspect.Parameter.KEYWORD_ONLY
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, kind, default=default, annotation=annotation)
            for name, annotation, default in options
        ]
    )
    command.__annotations__ = {name: annotation for name, annotation, _ in options}
    command.__doc__ = text
    return command


def read_serving(given: dict[str, Any]) -> tuple[ListenOptions, ServeOptions]:
    """Return what the values of `SERVING` say."""
    from singletable_apps.shared.apps import ServeOptions
    from singletable_apps.shared.email_delivery import parse_smtp_url, print_email
    from singletable_apps.shared.mail import EmailDelivery
    from singletable_apps.shared.serve import ListenOptions

    server = None if given["smtp"] is None else parse_smtp_url(given["smtp"])
    emails = EmailDelivery(server, print_email if given["print_emails"] else None)
    listening = ListenOptions(
        given["host"],
        given["port"],
        given["public"],
        tuple(given["proxy"] or ()),
        (given["tls_cert"], given["tls_key"]),
        given["sample"],
        given["print_emails"],
        given["oidc"],
    )
    return listening, ServeOptions(given["at"], given["sample"], emails)


def serve_alone(app: AppSpec[Any], folder: Path, given: dict[str, Any]) -> None:
    """Serve one app from its folder until the process is stopped."""
    from singletable_apps.shared.apps import serve_app
    from singletable_apps.shared.serve import ListenError, listen

    listening, options = read_serving(given)
    if listening.oidc is not None and app.people is None:
        raise ListenError(f"--oidc: nobody signs in to {app.name}.")
    with (
        listen(listening) as (listener, url, public),
        app.open_app(folder, public, options, alone=True) as running,
    ):
        serve_app(running, listener, url, public)


def print_outbox(app: AppSpec[Any], folder: Path, given: dict[str, Any]) -> None:
    """Print the latest e-mails in the outbox of an app."""
    from singletable_apps.shared.email_delivery import print_outbox

    print_outbox(given["at"] or app.address_in(folder), app.outbox)


def note_bounce(app: AppSpec[Any], folder: Path, given: dict[str, Any]) -> None:
    """Note the e-mail that a report on the standard input is about."""
    from singletable_apps.shared.email_delivery import note_bounces

    note_bounces(given["at"] or app.address_in(folder), app.outbox)


# ------------------------------------------------------------------------------ one app of a site

SiteOption = Annotated[
    Path, typer.Option("--folder", metavar="FOLDER", help="Folder of `singletable serve`.")
]


def shared_address(ctx: typer.Context, app: str) -> str:
    """Return the address of the existing tables of an app, from the options of its group."""
    return site_address(shared_option(ctx, "at"), shared_option(ctx, "folder"), app)


def site_address(at: str | None, folder: Path, app: str) -> str:
    """Return the address of the existing tables of an app: `at`, or the file in its folder."""
    from singletable_apps.shared.serve import database_address, existing_address

    return existing_address(at or database_address(folder / app, app))
