"""The commands of `singletable portfolio` that work on tables and files."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from textwrap import indent

import typer

import singletable
from singletable import StorageError, Store
from singletable_apps.portfolio.app import load_secret, open_service
from singletable_apps.portfolio.entities import Role, User, data_table
from singletable_apps.portfolio.errors import PortfolioError
from singletable_apps.portfolio.migration import (
    check_slugs,
    describe_plan,
    plan_migration,
    verify_migration,
    write_migration,
)
from singletable_apps.portfolio.sample import OWNER, PASSWORD, create_sample
from singletable_apps.portfolio.service import TABLES, PortfolioService
from singletable_apps.portfolio.service.posts import Outcome
from singletable_apps.portfolio.transfer import export_site, import_site
from singletable_apps.portfolio.urls import Urls
from singletable_apps.shared.archives import read_files, write_zip
from singletable_apps.shared.mail import Outbox
from singletable_apps.shared.serve import (
    error_text,
    file_errors,
    open_driver,
    path_of_address,
    progress_bar,
)


def run_sample(address: str, folder: Path, prefix: str) -> None:
    """Create the sample site."""
    with (
        open_driver(address) as driver,
        open_service(driver, folder, Urls(_check_prefix(prefix))) as service,
        progress_bar("Creating a sample site") as progress,
    ):
        create_sample(service, progress)
    typer.echo(
        f"Created a sample site. To see it: singletable portfolio serve --address {address} "
        f"--folder {folder}\nSign in as {OWNER[1]} with the password {PASSWORD}."
    )


def run_export(file: Path, address: str, folder: Path, prefix: str) -> None:
    """Write a zip file. It appears when it is complete."""
    if file.exists():
        raise PortfolioError(f"There is a file '{file}' already. Choose another name.")
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    with _existing_site(address, folder, prefix) as service, file_errors(file):
        try:
            with draft.open("xb") as target:
                write_zip(export_site(service), target)
            draft.rename(file)
        finally:
            draft.unlink(missing_ok=True)
    typer.echo(f"Exported the site to {file}.")


def run_import(source: Path, address: str, folder: Path, prefix: str, *, dry_run: bool) -> None:
    """Import files, and exit with status 1 if some failed."""
    files = read_files(source)
    with (
        _existing_site(address, folder, prefix) as service,
        progress_bar("Importing") as progress,
    ):
        owner = _owner(service)
        report = import_site(service, owner, files, dry_run=dry_run, on_progress=progress)
    for entry in report:
        if entry.outcome is not Outcome.SKIPPED or entry.reason:
            _print(f"  {entry.outcome:<8}  {entry.path}  {entry.reason}")
    found = Counter(entry.outcome for entry in report)
    counts = ", ".join(f"{found[outcome]:,} {outcome}" for outcome in Outcome)
    typer.echo(f"{'Would be imported' if dry_run else 'Imported'}: {counts}.")
    if found[Outcome.FAILED]:
        raise typer.Exit(1)


def run_migrate(source: str, target: str, folder: Path, *, dry_run: bool, verify: bool) -> None:
    """Migrate, or only show or compare; exit with status 1 if something is missing or differs."""
    path = path_of_address(target)
    if verify:
        _existing(target)
    elif dry_run and path is not None and not path.exists():
        target = "memory:"
    with (
        open_driver(_existing(source)) as old,
        # A process can open a database file only once.
        nullcontext(old) if target == source else open_driver(target) as new,
    ):
        site = Store(new, tables=TABLES)
        plan = plan_migration(Store(old), load_secret(folder))
        for line in describe_plan(plan):
            _print(line)
        if verify:
            problems = verify_migration(plan, site)
            for problem in problems:
                _print(f"  {problem}")
            typer.echo("The target differs." if problems else "\nThe target has everything.")
            if problems:
                raise typer.Exit(1)
            return
        if dry_run:
            check_slugs(plan, site)
            typer.echo("\nNothing was written.")
            return
        site.admin.create_table(data_table, if_missing=True)
        with progress_bar("Migrating") as progress:
            result = write_migration(plan, site, progress)
    for label, load in result.loads.items():
        typer.echo(f"  {label:<24}{load.written:,} written, {load.skipped:,} there already")
    if result.kept:
        typer.echo("\nThese were changed at the target, and are kept:")
        for key in result.kept:
            typer.echo(f"  {key}")
    typer.echo("\nCompare with: singletable portfolio migrate … --verify")
    if plan.failures:
        raise typer.Exit(1)


def run_outbox(address: str, limit: int) -> None:
    """Print e-mails that were not sent by a mail server."""
    with singletable.connect(_existing(address)) as driver:
        emails = Outbox(Store(driver, tables=TABLES)).newest(limit)
        for sent in emails:
            _print(f"{sent.sent_at:%Y-%m-%d %H:%M}  {sent.email.to}: {sent.email.subject}\n")
            _print(indent(sent.email.text, "  "))
        if not emails:
            typer.echo("No e-mails in the last week.")


def _print(text: str) -> None:
    """Print a text from files or tables without control characters."""
    typer.echo(error_text(Exception(text)))


@contextmanager
def _existing_site(address: str, folder: Path, prefix: str) -> Generator[PortfolioService]:
    with (
        open_driver(_existing(address)) as driver,
        open_service(driver, folder, Urls(_check_prefix(prefix))) as service,
    ):
        yield service


def _check_prefix(prefix: str) -> str:
    if prefix and not re.fullmatch(r"(/[a-z0-9-]+)+", prefix):
        raise PortfolioError(f"--prefix expects a path such as /portfolio, but got '{prefix}'.")
    return prefix


def _existing(address: str) -> str:
    path = path_of_address(address)
    if path is not None and not path.exists():
        raise StorageError(f"There is no file '{path}'.")
    return address


def _owner(service: PortfolioService) -> User:
    """Return the first owner, in whose name a command works."""
    for user in service.context.store.query(User.by_date()):
        if user.role is Role.OWNER:
            return user
    raise PortfolioError("This site is not set up. Serve it and open its first page, then import.")
