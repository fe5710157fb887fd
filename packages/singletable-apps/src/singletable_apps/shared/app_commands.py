"""The commands that apps have in common: `serve`, `sample`, `outbox` and `bounce`.

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

from singletable_apps.shared import cli

if TYPE_CHECKING:
    from singletable_apps.shared.frame.spec import AppSpec
    from singletable_apps.shared.mail import EmailDelivery
    from singletable_apps.shared.serve import ListenOptions

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
LISTENING = (
    ("host", cli.HostOption, "127.0.0.1"),
    ("port", cli.PortOption, 8000),
    ("public", cli.PublicUrlOption, None),
    ("proxy", cli.ProxyOption, None),
    ("tls_cert", cli.TlsCertOption, None),
    ("tls_key", cli.TlsKeyOption, None),
)
EMAILS = (("print_emails", cli.PrintEmailsOption, False), ("smtp", cli.SmtpOption, None))
SIGN_IN = (("oidc", cli.OidcOption, None),)
# An option: the name of the parameter, its annotation, and the default.
Option = tuple[str, Any, Any]
_REQUIRED = inspect.Parameter.empty
_BOUNCE = """Note that an e-mail failed: reads the report of a mail server (RFC 3464).

Let the mail server pipe what comes back to the sender of --smtp into this command. The pages then
show which addresses do not work.
"""


def app_commands(
    name: str,
    about: str,
    *,
    serve: str,
    sample: str = "",
    keys: Any = SecretOption,
    key_file: str = "",
    emails: bool = False,
    accounts: bool = True,
    bounce: str = "",
    serve_options: Sequence[Option] = (),
    sample_options: Sequence[Option] = (),
    options: Sequence[Option] = (),
    module: str = "",
) -> typer.Typer:
    """Return the commands of the app in `singletable_apps.NAME`; the app adds its own to them.

    An app in another package names the `module` with `APP`, which is loaded when a command runs.
    `serve` and `sample` are the texts of their help; an app without sample data leaves out
    `sample`. With `emails`, `serve` has options to send them and, for `accounts`, to sign people in
    with an identity provider. `keys` is the option that names the secrets, or the folder of the
    `key_file`. `bounce` says what a queued e-mail is, such as "Post {about}, reader {recipient}".
    The values of `options`, of `serve_options` of `serve`, and of `sample_options` of `sample`, are
    in `Opening.options`.
    """
    app = typer.Typer(
        help=about, no_args_is_help=True, add_completion=False, rich_markup_mode="markdown"
    )
    place = (("at", AddressOption, _REQUIRED), ("keys", keys, _REQUIRED))
    sending = (*EMAILS, *(SIGN_IN if accounts else ())) if emails else ()
    listening = (*LISTENING, *sending, *serve_options)
    more = (*sample_options, *options)
    module = module or f"singletable_apps.{name}.app"
    run = partial(_serve, module, key_file)
    app.command("serve")(make_command(serve, (*place, *listening, *options), run))
    if sample:
        run = partial(_sample, module, key_file)
        app.command("sample")(make_command(sample, (*place, *more), run))
    if emails:
        text = "Print the latest e-mails in the outbox, newest first."
        parameters = (place[0], ("limit", cli.LimitOption, 20))
        app.command("outbox")(make_command(text, parameters, partial(_outbox, module)))
    if bounce:
        run = partial(_bounce, module, bounce)
        app.command("bounce")(make_command(_BOUNCE, (place[0],), run))
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


def take_listening(
    given: dict[str, Any], *, sample: bool = False
) -> tuple[ListenOptions, EmailDelivery]:
    """Remove the values of `LISTENING`, `EMAILS` and `SIGN_IN`, and return what they say."""
    from singletable_apps.shared.email_delivery import parse_smtp_url, print_email
    from singletable_apps.shared.mail import EmailDelivery
    from singletable_apps.shared.serve import ListenOptions

    host, port, public, proxy, *tls = [given.pop(name) for name, _, _ in LISTENING]
    prints, smtp, oidc = [given.pop(name, default) for name, _, default in (*EMAILS, *SIGN_IN)]
    server = None if smtp is None else parse_smtp_url(smtp)
    emails = EmailDelivery(server, print_email if prints else None)
    proxies, files = tuple(proxy or ()), (tls[0], tls[1])
    return ListenOptions(host, port, public, proxies, files, sample, prints, oidc), emails


def _serve(module: str, key_file: str, given: dict[str, Any]) -> None:
    address, keys = given.pop("at"), given.pop("keys") / key_file
    listening, emails = take_listening(given)
    load_app(module).serve(address, keys, listening, emails, given)


def _sample(module: str, key_file: str, given: dict[str, Any]) -> None:
    address, keys = given.pop("at"), given.pop("keys")
    spec = load_app(module)
    spec.create_sample(address, keys / key_file, options=given)
    option = "folder" if key_file else spec.keys.removesuffix(".key")
    place = f"--address {address} --{option} {keys}"
    typer.echo(f"To see it: {spec.command_line(f'serve {place}')}")
    if spec.sample_hint:
        typer.echo(spec.sample_hint)


def _outbox(module: str, given: dict[str, Any]) -> None:
    from singletable_apps.shared.email_delivery import print_outbox

    print_outbox(given["at"], load_app(module).outbox or {}, given["limit"])


def _bounce(module: str, text: str, given: dict[str, Any]) -> None:
    from singletable_apps.shared.email_delivery import note_bounces

    note_bounces(given["at"], load_app(module).outbox or {}, text)
