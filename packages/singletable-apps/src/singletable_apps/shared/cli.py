"""Options and error handling that all commands of the apps share.

Commands import this module at the top and everything else when they run, so that help stays fast.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

FolderOption: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--folder", metavar="FOLDER", help="Folder of tables, keys and files; created if missing."
    ),
]
AddressOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="ADDRESS",
        help="Address of the tables, such as postgresql://user@host/votes or dynamodb:, instead of "
        "a file in the folder.",
    ),
]
SampleOption: TypeAlias = Annotated[
    bool,
    typer.Option("--sample", help="Create sample data if the folder is new. Local servers only."),
]
HostOption: TypeAlias = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption: TypeAlias = Annotated[
    int, typer.Option(min=0, max=65535, help="Port to listen on; 0 chooses a free one.")
]
PublicUrlOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="URL that people use, if the server has a name or is behind a proxy. Links contain "
        "it, other host names are rejected, and with https:// cookies are sent over TLS only.",
    ),
]
ProxyOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NETWORK",
        help="Proxy whose X-Forwarded-For header is trusted, such as 127.0.0.1 or 10.0.0.0/8. "
        "Without it, all clients behind a proxy share one rate limit.",
    ),
]
TlsCertOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Serve HTTPS with the certificate in this PEM file; requires --tls-key.",
    ),
]
TlsKeyOption: TypeAlias = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The private key of the certificate, as PEM.")
]
PrintEmailsOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--print-emails",
        help="Print e-mails here as well. Their links let anyone who reads them sign in. Local "
        "servers only.",
    ),
]
SmtpOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Send e-mails by this server: smtp://user@mail.example.org?from=vote@example.org, "
        "with the password in SMTP_PASSWORD. Without it, e-mails are kept in the outbox.",
    ),
]
OidcOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Let people sign in with this OpenID Connect provider: "
        "https://CLIENT@login.example.org?name=Example, with the secret of the client in "
        "OIDC_CLIENT_SECRET.",
    ),
]


@contextmanager
def exit_on_error() -> Generator[None]:
    """Print expected errors as one paragraph and exit with code 2."""
    from dynamodb_engine import hide_password
    from singletable_apps.shared.serve import EXPECTED_ERRORS, error_text

    try:
        yield
    except EXPECTED_ERRORS as error:
        typer.echo(f"singletable: {hide_password(error_text(error))}", err=True)
        raise typer.Exit(2) from None
