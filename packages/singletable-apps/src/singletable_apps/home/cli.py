"""The command `singletable serve`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable_apps.shared.cli import (
    HostOption,
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


def serve(
    folder: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Folder for tables and keys; created if missing."),
    ] = Path("singletable-data"),
    at: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="ADDRESS",
            help="Address of the tables, such as postgresql://user@host/votes or dynamodb:, "
            "instead of files in the folder.",
        ),
    ] = None,
    sample: Annotated[
        bool,
        typer.Option(
            "--sample", help="Create sample data if the folder is new. Local servers only."
        ),
    ] = False,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    public: PublicUrlOption = None,
    proxy: ProxyOption = None,
    tls_cert: TlsCertOption = None,
    tls_key: TlsKeyOption = None,
    print_emails: PrintEmailsOption = False,
    smtp: SmtpOption = None,
    oidc: OidcOption = None,
) -> None:
    """Serve the home page, the guide and all applications.

    Missing tables and keys are created. Keep a backup of the keys in a safe place.
    """
    with exit_on_error():
        from singletable_apps.home.serve import serve_site
        from singletable_apps.shared.apps import ServeOptions
        from singletable_apps.shared.email_delivery import email_delivery
        from singletable_apps.shared.serve import ListenOptions

        options = ListenOptions(
            host, port, public, tuple(proxy or ()), (tls_cert, tls_key), sample, print_emails, oidc
        )
        emails = email_delivery(print_emails=print_emails, smtp=smtp)
        serve_site(folder, options, ServeOptions(at, sample, emails))
