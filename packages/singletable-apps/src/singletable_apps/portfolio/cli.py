"""`singletable portfolio`: move a site in and out, and migrate the original system."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import Commands, shared_option
from singletable_apps.shared.app_commands import SITE, SiteOption, shared_address
from singletable_apps.shared.cli import AddressOption, exit_on_error

if TYPE_CHECKING:
    from singletable_apps.portfolio.service import PortfolioService


def _check_prefix(prefix: str) -> str:
    if prefix and not re.fullmatch(r"(/[a-z0-9-]+)+", prefix):
        raise typer.BadParameter(f"Expected a path such as /portfolio, but got '{prefix}'.")
    return prefix


PrefixOption = Annotated[
    str,
    typer.Option(
        metavar="PATH",
        help="Path of the site if it is not at the root: /portfolio in singletable serve.",
        callback=_check_prefix,
    ),
]
DryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")
]
portfolio = Commands(
    help="Import, export and count a site, and migrate the original system.",
    no_args_is_help=True,
    add_completion=False,
)


@portfolio.callback()
def shared_options(
    folder: SiteOption = SITE, at: AddressOption = None, prefix: PrefixOption = ""
) -> None:
    """Accept the options that all commands of a site share."""


# Imports are inside the commands, so that `--help` does not load the web framework.
@portfolio.command()
@exit_on_error()
def export(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Zip file to create.")],
) -> None:
    """Export posts with comments, likes and history, the portfolio and the images, as a zip."""
    from singletable_apps.portfolio.transfer import export_site
    from singletable_apps.shared.archives import write_zip
    from singletable_apps.shared.errors import AppError
    from singletable_apps.shared.key_files import new_private_file
    from singletable_apps.shared.serve import file_errors

    if file.exists():
        raise AppError(f"There is a file '{file}' already. Choose another name.")
    with (
        _open_site(ctx) as service,
        file_errors(file),
        new_private_file(file) as target,
    ):
        write_zip(export_site(service), target)
    typer.echo(f"Exported the site to {file}.")


@portfolio.command("import")
@exit_on_error()
def import_(
    ctx: typer.Context,
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE",
            help="Zip file or folder of Markdown: an export, or of Jekyll, Hugo or Bear Blog.",
        ),
    ],
    dry_run: DryRunOption = False,
) -> None:
    """Import posts, images and the portfolio. A post replaces the one with the same slug."""
    from singletable_apps.portfolio.service.posts import Outcome
    from singletable_apps.portfolio.transfer import import_site
    from singletable_apps.shared.archives import read_files
    from singletable_apps.shared.serve import progress_bar
    from singletable_apps.shared.service import check_found

    files = read_files(source)
    with (
        _open_site(ctx) as service,
        progress_bar("Importing") as progress,
    ):
        text = "This site is not set up. Serve it and open the printed link first."
        owner = check_found(service.profile.owner(), text)
        report = import_site(service, owner, files, dry_run=dry_run, on_progress=progress)
    for entry in report:
        if entry.outcome is not Outcome.SKIPPED or entry.reason:
            _print(f"  {entry.outcome:<8}  {entry.path}  {entry.reason}".rstrip())
    found = Counter(entry.outcome for entry in report)
    counts = ", ".join(f"{found[outcome]:,} {outcome}" for outcome in Outcome)
    typer.echo(f"{'Would be imported' if dry_run else 'Imported'}: {counts}.")
    if found[Outcome.FAILED]:
        raise typer.Exit(1)


@portfolio.command()
@exit_on_error()
def migrate(
    ctx: typer.Context,
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="Address of the four tables, such as dynamodb:.")
    ],
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="Address of the site, such as file:site.db.")
    ],
    dry_run: DryRunOption = False,
    stopped: Annotated[
        bool,
        typer.Option(
            "--stopped",
            help="The old site is stopped: nothing writes to its tables. Needed where their "
            "streams cannot be enabled.",
        ),
    ] = False,
) -> None:
    """Migrate PortfolioTable, BlogsTable, UsersTable and LikesTable to one table.

    It can be interrupted and run again, and compares every item at the end. The old tables are
    kept. Likes are counted; addresses of visitors are not copied.
    """
    from singletable_apps.portfolio import migration
    from singletable_apps.portfolio.app import SECRET_PURPOSE
    from singletable_apps.shared.frame import Opening
    from singletable_apps.shared.serve import existing_address, open_driver

    folder: Path = shared_option(ctx, "folder")
    with open_driver(existing_address(source)) as old:
        secret = Opening(old, folder / "portfolio").load_secret(SECRET_PURPOSE)
        trial = migration.try_migration(old, secret)
        for line in migration.describe_trial(trial):
            _print(line)
        if dry_run:
            typer.echo("\nNothing was written.")
            raise typer.Exit(0 if trial.ok else 1)
        # A process can open a database file only once.
        with nullcontext(old) if target == source else open_driver(target) as new:
            migration.migrate_site(old, new, secret, stopped=stopped)
    typer.echo("\nThe site is migrated, and every item was compared.")
    raise typer.Exit(0 if trial.ok else 1)


@portfolio.command()
@exit_on_error()
def recount(ctx: typer.Context) -> None:
    """Compare the like counter of each post with the likes of this year.

    A counter also has the likes of earlier years, which have expired. It exits with status 1 if a
    counter has fewer.
    """
    with _open_site(ctx) as service:
        blogs = service.catalog.visible(service.context.clock())
        counts = [(blog, service.likes.recount(blog.blog_id)) for blog in blogs]
    for blog, result in counts:
        _print(f"{result.counted:>8,} counted {result.markers:>8,} this year  {blog.title}")
    if any(result.counted < result.markers for _, result in counts):
        raise typer.Exit(1)


@contextmanager
def _open_site(ctx: typer.Context) -> Generator[PortfolioService]:
    from singletable_apps.portfolio.app import open_site
    from singletable_apps.shared.frame import Opening
    from singletable_apps.shared.serve import open_driver

    folder: Path = shared_option(ctx, "folder")
    with (
        open_driver(shared_address(ctx, "portfolio")) as driver,
        open_site(Opening(driver, folder / "portfolio"), shared_option(ctx, "prefix")) as service,
    ):
        yield service


def _print(text: str) -> None:
    """Print a text from files or tables without control characters."""
    from singletable_apps.shared.serve import error_text

    typer.echo(error_text(Exception(text)))
