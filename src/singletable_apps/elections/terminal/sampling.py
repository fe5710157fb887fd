"""A store with sample data, and who can sign in to it."""

from __future__ import annotations

import typer

from singletable_apps.elections.sample import PASSWORD, PEOPLE, POLLS, fill
from singletable_apps.elections.terminal.opening import Place, elections_at
from singletable_apps.shared.serving.progress import bar


def make_sample(place: Place) -> None:
    """Fill an empty store, and say with whom and what."""
    with elections_at(place) as elections, bar("Filling") as told:
        fill(elections, told)
    typer.echo(f"\nSample accounts, all with the password: {PASSWORD}\n")
    for person in PEOPLE:
        typer.echo(f"  {person.name:<12}{person.email:<26}{person.role}")
    typer.echo("\nSample elections:\n")
    for poll in POLLS:
        typer.echo(f"  {poll.name:<24}{poll.what}")
