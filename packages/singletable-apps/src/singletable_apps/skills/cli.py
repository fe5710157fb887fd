"""`singletable skills`: roles, and the migration of the old table of users."""

from __future__ import annotations

from typing import Annotated

import typer

from singletable_apps.shared.app_commands import SITE, SiteOption, site_address
from singletable_apps.shared.cli import AddressOption, exit_on_error

skills = typer.Typer(
    help="Manage the directory of people and their skills.",
    no_args_is_help=True,
    add_completion=False,
)


# Imports are inside the commands, so that `--help` does not load the web framework.
@skills.command()
@exit_on_error()
def rename(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Where the table of users is.")],
    username: Annotated[str, typer.Argument(metavar="USERNAME", help="The username now.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new username.")],
) -> None:
    """Rename a user in the old table.

    The directory ignores case, so only one of Ada and ada can keep the name. A dry run finds them.
    """
    from singletable import Store
    from singletable_apps.shared.serve import existing_address, open_driver
    from singletable_apps.skills.history.users import UserDirectory

    with open_driver(existing_address(source)) as driver:
        UserDirectory(Store(driver)).rename(username, new)
    typer.echo(f"{username} is now {new}. Tell them: they sign in with the new name.")


@skills.command()
@exit_on_error()
def catalog(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Where the directory is.")],
) -> None:
    """Create the skills that people have and the catalog does not, and count people again.

    For a table of phase 2, after its last migration and before anybody uses the directory.
    """
    from singletable import Store
    from singletable_apps.shared.serve import existing_address, open_driver
    from singletable_apps.skills.history.conversions import create_catalog

    with open_driver(existing_address(target)) as driver:
        typer.echo(f"Skills: {create_catalog(Store(driver)):,}")


@skills.command("set-role")
@exit_on_error()
def set_role(
    username: Annotated[str, typer.Argument(metavar="USERNAME", help="In any case.")],
    role: Annotated[str, typer.Argument(metavar="ROLE", help="user, manager or admin.")],
    folder: SiteOption = SITE,
    at: AddressOption = None,
) -> None:
    """Make someone an administrator or a manager, such as after a migration.

    It needs no account, only access to the tables.
    """
    from singletable import ConditionFailed, Store
    from singletable_apps.shared.errors import InvalidInput, NotFound
    from singletable_apps.shared.serve import open_driver
    from singletable_apps.skills.entities import Role, User

    if role not in [*Role]:
        raise InvalidInput({"role": f"There is no role {role!r}. Use {', '.join(Role)}."})
    with open_driver(site_address(at, folder, "skills")) as driver:
        try:
            user = Store(driver).update(User.key(username), User.role.set(Role(role)))
        except ConditionFailed:
            raise NotFound(f"There is no one with the username {username!r}.") from None
    typer.echo(f"{user.name} ({user.username}) is now: {user.role}.")
