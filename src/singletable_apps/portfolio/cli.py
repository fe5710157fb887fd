"""`singletable portfolio`: serve a site, move it in and out, and migrate the original system."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singletable_apps.shared.cli import (
    HostOption,
    PortOption,
    PrintEmailsOption,
    ProxyOption,
    PublicUrlOption,
    SmtpOption,
    exit_on_error,
)

portfolio = typer.Typer(
    help="Serve a personal site and blog, import and export it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
)

AddressOption = Annotated[
    str,
    typer.Option(
        "--address",
        "--at",
        metavar="ADDRESS",
        help="Where the tables are, such as file:site/portfolio.db or dynamodb:.",
    ),
]
FolderOption = Annotated[
    Path,
    typer.Option(
        "--folder",
        metavar="FOLDER",
        help="Folder of the images and the secret; created if missing.",
    ),
]
PrefixOption = Annotated[
    str,
    typer.Option(
        metavar="PATH",
        help="Path of the site if it is not at the root: /portfolio in singletable serve.",
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")
]


# Imports are inside the commands, so that `--help` does not load the web framework.
@portfolio.command()
def serve(
    at: AddressOption,
    folder: FolderOption,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8000,
    public: PublicUrlOption = None,
    proxy: ProxyOption = None,
    print_emails: PrintEmailsOption = False,
    smtp: SmtpOption = None,
) -> None:
    """Serve a site at the root of a host. Its first page asks the owner to set it up.

    Tables, folder and secret are created if they are missing.
    """
    with exit_on_error():
        from singletable_apps.portfolio.app import run_serve
        from singletable_apps.shared.email_delivery import email_delivery
        from singletable_apps.shared.serve import ListenOptions

        emails = email_delivery(print_emails=print_emails, smtp=smtp)
        run_serve(at, folder, ListenOptions(host, port, public, tuple(proxy or ())), emails)


@portfolio.command()
def sample(at: AddressOption, folder: FolderOption, prefix: PrefixOption = "") -> None:
    """Create a sample site with posts, comments, likes and statistics."""
    with exit_on_error():
        from singletable_apps.portfolio.commands import run_sample

        run_sample(at, folder, prefix)


@portfolio.command()
def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Zip file to create.")],
    at: AddressOption,
    folder: FolderOption,
    prefix: PrefixOption = "",
) -> None:
    """Export posts as Markdown, the portfolio as JSON, and the images, in a zip file."""
    with exit_on_error():
        from singletable_apps.portfolio.commands import run_export

        run_export(file, at, folder, prefix)


@portfolio.command("import")
def import_(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="Zip file or folder of Markdown: an export, or of Jekyll, Hugo or Bear Blog.",
        ),
    ],
    at: AddressOption,
    folder: FolderOption,
    prefix: PrefixOption = "",
    dry_run: DryRunOption = False,
) -> None:
    """Import posts, images and the portfolio. A post replaces the one with the same slug."""
    with exit_on_error():
        from singletable_apps.portfolio.commands import run_import

        run_import(source, at, folder, prefix, dry_run=dry_run)


@portfolio.command()
def migrate(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="Address of the four tables, such as dynamodb:.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="Address of the site, such as file:site.db.")
    ],
    folder: FolderOption,
    dry_run: DryRunOption = False,
    verify: Annotated[
        bool, typer.Option("--verify", help="Only compare the target with the source.")
    ] = False,
) -> None:
    """Migrate PortfolioTable, BlogsTable, UsersTable and LikesTable to one table.

    It can be interrupted and repeated. Likes are counted; addresses of visitors are not copied.
    """
    with exit_on_error():
        from singletable_apps.portfolio.commands import run_migrate

        run_migrate(source, target, folder, dry_run=dry_run, verify=verify)


@portfolio.command()
def outbox(
    at: AddressOption,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, metavar="N", help="How many to print.")
    ] = 20,
) -> None:
    """Print the latest e-mails in the outbox, newest first."""
    with exit_on_error():
        from singletable_apps.portfolio.commands import run_outbox

        run_outbox(at, limit)
