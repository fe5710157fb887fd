"""The commands that every app has: `serve`, `sample` and `outbox`.

Everything else is imported when a command runs, so that `--help` does not load the web framework.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singletable_apps.shared.cli import (
    HostOption,
    LimitOption,
    OidcOption,
    PortOption,
    PrintEmailsOption,
    ProxyOption,
    PublicUrlOption,
    SmtpOption,
    TlsCertOption,
    TlsKeyOption,
    exit_on_error,
)

if TYPE_CHECKING:
    from singletable_apps.shared.frame.spec import AppSpec

AddressOption = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="ADDRESS",
        help="Where the tables are, such as file:data.db or dynamodb:.",
    ),
]
SecretOption = Annotated[
    Path,
    typer.Option(
        "--secret", metavar="FILE", help="The file with the server secret; created if missing."
    ),
]
_LISTENING = (
    ("host", HostOption, "127.0.0.1"),
    ("port", PortOption, 8000),
    ("public", PublicUrlOption, None),
    ("proxy", ProxyOption, None),
    ("tls_cert", TlsCertOption, None),
    ("tls_key", TlsKeyOption, None),
)
_EMAILS = (
    ("print_emails", PrintEmailsOption, False),
    ("smtp", SmtpOption, None),
    ("oidc", OidcOption, None),
)
# An option: the name of the parameter, its annotation, and the default.
Option = tuple[str, Any, Any]
_REQUIRED = inspect.Parameter.empty


def app_commands(
    name: str,
    about: str,
    *,
    serve: str,
    sample: str = "",
    keys: Any = SecretOption,
    key_file: str = "",
    emails: bool = False,
    serve_options: Sequence[Option] = (),
    sample_options: Sequence[Option] = (),
    options: Sequence[Option] = (),
    module: str = "",
) -> typer.Typer:
    """Return the commands of the app in `singletable_apps.NAME`; the app adds its own to them.

    An app in another package names the `module` with `APP`, which is loaded when a command runs.
    `serve` and `sample` are the texts of their help; an app without sample data leaves out
    `sample`. `keys` is the option that names the secrets, or the folder of the `key_file`. The
    values of `options`, of `serve_options` of `serve`, and of `sample_options` of `sample`, are in
    `Opening.options`.
    """
    app = typer.Typer(
        help=about, no_args_is_help=True, add_completion=False, rich_markup_mode="markdown"
    )
    place = (("at", AddressOption, _REQUIRED), ("keys", keys, _REQUIRED))
    listening = (*_LISTENING, *(_EMAILS if emails else ()), *serve_options)
    more = (*sample_options, *options)
    module = module or f"singletable_apps.{name}.app"
    _add(app, "serve", serve, (*place, *listening, *options), partial(_serve, module, key_file))
    if sample:
        _add(app, "sample", sample, (*place, *more), partial(_sample, module, key_file))
    if emails:
        text = "Print the latest e-mails in the outbox, newest first."
        parameters = (place[0], ("limit", LimitOption, 20))
        _add(app, "outbox", text, parameters, partial(_outbox, module))
    return app


def load_app(module: str) -> AppSpec[Any]:
    """Return the declaration of an app."""
    spec: AppSpec[Any] = import_module(module).APP
    return spec


def _add(
    app: typer.Typer,
    name: str,
    text: str,
    options: Sequence[Option],
    run: Callable[[dict[str, Any]], None],
) -> None:
    """Add a command whose parameters are these options."""

    def command(**given: Any) -> None:
        with exit_on_error():
            run(given)

    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(
                parameter, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
            )
            for parameter, annotation, default in options
        ]
    )
    command.__annotations__ = {parameter: annotation for parameter, annotation, _ in options}
    app.command(name, help=text)(command)


def _serve(module: str, key_file: str, given: dict[str, Any]) -> None:
    from singletable_apps.shared.email_delivery import email_delivery
    from singletable_apps.shared.serve import ListenOptions

    address, keys = given.pop("at"), given.pop("keys") / key_file
    print_emails = given.pop("print_emails", False)
    emails = email_delivery(print_emails=print_emails, smtp=given.pop("smtp", None))
    host, port, public, proxy, *tls = [given.pop(parameter) for parameter, _, _ in _LISTENING]
    listening = ListenOptions(
        host,
        port,
        public,
        tuple(proxy or ()),
        (tls[0], tls[1]),
        print_emails=print_emails,
        oidc=given.pop("oidc", None),
    )
    load_app(module).serve(address, keys, listening, emails, given)


def _sample(module: str, key_file: str, given: dict[str, Any]) -> None:
    address, keys = given.pop("at"), given.pop("keys")
    spec = load_app(module)
    spec.create_sample(address, keys / key_file, options=given)
    option = "folder" if key_file else spec.keys.removesuffix(".key")
    place = f"--address {address} --{option} {keys}"
    typer.echo(f"To see it: {spec.command_line(f'serve {place}')}")
    if spec.sample_note:
        typer.echo(spec.sample_note)


def _outbox(module: str, given: dict[str, Any]) -> None:
    from singletable_apps.shared.email_delivery import print_outbox

    print_outbox(given["at"], load_app(module).outbox or {}, given["limit"])
