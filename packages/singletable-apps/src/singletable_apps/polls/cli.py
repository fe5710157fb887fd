"""`singletable polls`: recount a poll."""

from __future__ import annotations

from typing import Annotated

import typer

from singletable_apps.shared.app_commands import SITE, SiteOption, site_address
from singletable_apps.shared.cli import AddressOption, exit_on_error

polls = typer.Typer(help="Recount polls.", no_args_is_help=True, add_completion=False)


@polls.callback()
def _group() -> None:
    pass


@polls.command()
@exit_on_error()
def recount(
    poll: Annotated[str, typer.Argument(metavar="POLL", help="The id of the poll, in its link.")],
    folder: SiteOption = SITE,
    at: AddressOption = None,
) -> None:
    """Count every vote of a poll one by one and compare with its results."""
    # Imported here, so that `--help` does not load the web framework.
    from singletable_apps.polls.service import open_polls
    from singletable_apps.polls.tokens import Secret
    from singletable_apps.shared.serve import open_driver

    with open_driver(site_address(at, folder, "polls")) as driver:
        # Recounting derives nothing from the secret.
        service = open_polls(driver, Secret(bytes(32)), make_table=False)
        found = service.context.get_poll(poll)
        recount = service.tallies.recount(found)
    by_votes, by_entries = recount.by_votes.counts, recount.by_entries.counts
    typer.echo(f"{found.title}\n  {recount.votes:,} votes, {len(by_votes):,} different rankings")
    if recount.agrees:
        typer.echo("  The results match.")
        return
    typer.echo("  THE RESULTS DO NOT MATCH. Ranking, votes, votes in the results:")
    for ranking in sorted({*by_votes, *by_entries}):
        votes, counted = by_votes.get(ranking, 0), by_entries.get(ranking, 0)
        if votes != counted:
            typer.echo(f"    {ranking:<30}{votes:>10,}{counted:>10,}")
    raise typer.Exit(1)
