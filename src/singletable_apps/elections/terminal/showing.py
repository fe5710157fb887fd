"""What an operator reads: letters, events, how an election stands."""

from __future__ import annotations

import json
import sys

from rich.console import Console

from singletable_apps.counting.report import ReportWriter, write_report
from singletable_apps.elections import patterns
from singletable_apps.elections.auditing import hidden_data
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotThere
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Elections
from singletable_apps.elections.terminal.opening import (
    Place,
    existing_elections_at,
    existing_store,
)
from singletable_apps.shared.mail import Outbox


def show_outbox(at: str, limit: int) -> None:
    """Print the last letters, the newest first."""
    sheet = ReportWriter(Console(highlight=False), plain=False)
    with existing_store(at) as store:
        letters = Outbox(store).newest(limit)
    for sent in letters:
        sheet.heading(f"{sent.sent:%Y-%m-%d %H:%M:%S} UTC  {sent.letter.to}: {sent.letter.subject}")
        for line in sent.letter.text.rstrip().split("\n"):
            sheet.say(line)
    if not letters:
        sheet.say("No letter was sent in the last week.")


def show_events(at: str, limit: int) -> None:
    """Print the last events, the newest first, a line each; hashes of passwords are hidden."""
    sheet = ReportWriter(Console(highlight=False), plain=True)
    with existing_store(at) as store:
        events = list(store.query(patterns.all_events(), limit=limit, reverse=True))
    for one in events:
        data = json.dumps(hidden_data(one.event_data), ensure_ascii=False)
        when = f"{one.when_occurred:%Y-%m-%d %H:%M:%S}"
        sheet.say(f"{one.event_id}  {when}  {one.actor}  {one.event_type}  {data}")
    if not events:
        sheet.say("The log has no events.")


def show_tally(place: Place, name: str, method: str, *, as_json: bool, plain: bool) -> None:
    """Print how an election stands, as its application's owner may see it."""
    with existing_elections_at(place) as elections:
        tally = elections.results.tally(_owner(elections), name, method)
    if as_json:
        sys.stdout.write(tally.result.to_json())
        return
    sheet = ReportWriter(
        Console(color_system=None if plain else "auto", highlight=False), plain=plain
    )
    closed = "closed, and signed" if tally.closing is not None else "not closed yet"
    sheet.say(f"{tally.election.name}: {tally.ballots_cast:,} ballots, {closed}.")
    write_report(sheet, tally.result)


def _owner(elections: Elections) -> User:
    for user in elections.office.store.query(patterns.list_users()):
        if user.role is Role.OWNER:
            return user
    raise NotThere("Nobody is registered yet, so there is no election.")
