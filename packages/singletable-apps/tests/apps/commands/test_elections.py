"""The commands of `singletable elections`, and their errors."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from singletable import Engine, Store
from singletable_apps.elections.app import APP
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import LogNotEmpty
from singletable_apps.elections.events import Event
from singletable_apps.elections.keys import load_or_create_keys
from singletable_apps.elections.roles import Role
from singletable_apps.elections.sample import fill_sample
from singletable_apps.elections.service import TABLES
from singletable_apps.shared.frame import Opening
from singletable_apps.shared.mail import Email
from singletable_apps.shared.outbox import Delivery, DeliveryState, Outbox
from singletable_apps.shared.serve import open_driver
from tests.apps.commands.typed import Run, RunOf


def test_sample_needs_empty_tables(site: Path) -> None:
    with (
        open_driver(f"file:{site}/elections/elections.db") as driver,
        APP.open(Opening(driver, site / "elections")) as elections,
        pytest.raises(LogNotEmpty, match="There are 89 events already"),
    ):
        fill_sample(elections)


def test_exported_log_can_be_restored(run: Run, site: Path) -> None:
    file, there = site / "log.jsonl", f"file:{site}/restored.db"
    code, out, _ = run("export", file, "--folder", site)
    assert code == 0
    assert "The log has 89 events" in out
    assert file.stat().st_mode & 0o777 == 0o600
    kept = {one.relative_to(site).as_posix() for one in site.glob("*/*")}
    assert kept == {"elections/keys", "elections/elections.db"}
    place = ("--folder", site, "--address", there)
    code, out, _ = run("restore", file, *place)
    assert code == 0
    assert "Restored from" in out
    for command in (("verify", *place), (*place, "verify")):
        code, out, _ = run(*command)
        assert code == 0
        assert "match the log" in out
    code, out, _ = run("tally", "board 2026", *place, "--json")
    assert code == 0
    assert json.loads(out)["winners"] == ["Katherine"]


def test_verify_finds_tampering_and_rebuild_repairs_it(run: Run, site: Path) -> None:
    place = ("--folder", site)
    with Engine.on_file(site / "elections" / "elections.db") as engine:
        Store(engine, tables=TABLES).update(User.key("Radia"), User.role.set(Role.OWNER))
    code, _, err = run("verify", *place)
    assert code == 1
    assert "USER#Radia / METADATA differs in role" in err
    assert run("rebuild", *place) == (0, "Rebuilt the table from 89 events.\n", "")
    assert run("verify", *place)[0] == 0
    with Engine.on_file(site / "elections" / "elections.db") as engine:
        Store(engine, tables=TABLES).update(Event.key(1), Event.actor.set("eve"))
    code, _, err = run("verify", *place)
    assert (code, "Event 1 was changed" in err) == (1, True)


def test_outbox_prints_newest_first(
    type_of: RunOf, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outbox_of, place = type_of("outbox"), ("elections", "--folder", site)
    assert outbox_of(*place) == (0, "No e-mails in the last week.\n", "")
    with Engine.on_file(site / "elections" / "elections.db") as engine:
        outbox = Outbox(Store(engine, tables=TABLES), secret=bytes(32))
        for second, name in enumerate(("first", "second")):
            now = datetime.now(UTC).replace(microsecond=second)
            outbox.send(Email("ada@example.org", name, f"the \x1b[31m{name} text"), now)
            assert outbox.deliver(now) == 1
    code, out, _ = outbox_of(*place)
    assert code == 0
    assert out.index("second text") < out.index("first text")
    assert "\x1b" not in out
    assert "older" not in out
    monkeypatch.setattr("singletable_apps.shared.email_delivery.SHOWN", 1)
    _, out, _ = outbox_of(*place)
    assert "first text" not in out
    assert "There are older e-mails." in out


def test_tally_shows_only_visible_results(run: Run, site: Path) -> None:
    place = ("--folder", site)
    code, out, _ = run("tally", "summer trip", *place)
    assert code == 0
    assert "Summer trip: 9 ballots, closed and signed." in out
    assert "Lake wins" in out
    for name, why in (
        ("Treasurer", "Voting is still open"),
        ("Next year's motto", "There are no results yet"),
        ("Nobody knows", "There is no election “Nobody knows”"),
    ):
        code, _, err = run("tally", name, *place)
        assert (code, why in err) == (2, True), err
    assert "Unknown counting method" in run("tally", "Board 2026", *place, "-m", "coin")[2]


ERRORS = {
    "no address": (("verify", "--address", "votes.db"), "Did you mean 'file:votes.db'?"),
    "a strange address": (("verify", "--address", "ftp:votes"), "Unknown kind of address"),
    "a file that is not there": (
        ("export", "x", "--address", "file:no.db"),
        "There is no file 'no.db'",
    ),
    "a file of something else": (("export", "x", "--address", "file:text"), "text"),
    "no tables": (
        ("export", "x", "--address", "memory:"),
        "vote_data and vote_event_log not found",
    ),
    "no export": (("restore", "no.jsonl", "--address", "memory:"), "Cannot use 'no.jsonl'"),
    "an export that is none": (
        ("restore", "text", "--address", "memory:"),
        "Line 1 is not a line",
    ),
    "a file that is there": (("export", "text"), "already exists"),
    "a folder that is not there": (
        ("export", "no/log.jsonl"),
        "Cannot use 'no/log.jsonl': No such file or directory.",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_error_is_one_line_that_says_what_to_do(
    run: Run, site: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.chdir(site)
    (site / "text").write_text("hello\n")
    arguments, why = ERRORS[case]
    code, out, err = run(*arguments, "--folder", site)
    assert (code, out) == (2, "")
    assert err.startswith("singletable: ")
    assert why in err
    assert "Traceback" not in err
    assert (site / "text").read_text() == "hello\n"


# A new key cannot open sealed ballots, so elections could not be closed.
@pytest.mark.parametrize("name", ["ballots.key", "signing.key"])
def test_wrong_keys_are_rejected(type_of: RunOf, run: Run, site: Path, name: str) -> None:
    place = ("--folder", site)
    path = site / "elections" / "keys" / name
    kept = path.rename(site / name)
    serve = ("elections", *place, "--port", "0")
    code, _, err = type_of("serve")(*serve)
    assert (code, f"{site}/elections/keys/{name}" in err) == (2, True)
    assert not (site / "elections" / "keys" / name).exists()
    code, _, err = run("rebuild", *place, "--new-keys")
    if name == "ballots.key":  # the log cannot be read without it
        assert (code, f"elections/keys/{name}" in err) == (2, True)
    else:
        assert code == 0
        code, _, err = type_of("serve")(*serve)
        assert (code, f"the file {name} from your backup" in err) == (2, True)
    kept.replace(path)
    load_or_create_keys(site / "elections" / "keys")
    assert run("tally", "Board 2026", *place)[0] == 0


def test_key_file_readable_by_others_is_rejected(run: Run, site: Path) -> None:
    (site / "elections" / "keys" / "ballots.key").chmod(0o644)
    place = ("--folder", site)
    code, _, err = run("tally", "Board 2026", *place)
    assert (code, "chmod 600" in err) == (2, True)


def test_bounce_notes_the_e_mail_of_a_report(
    type_of: RunOf, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)
    sent = Delivery(
        about="7",
        recipient="2",
        purpose="invitation-1",
        state=DeliveryState.SENT,
        at=now,
        ends=now.replace(year=2100),
    )
    with Engine.on_file(site / "elections" / "elections.db") as engine:
        Store(engine, tables=TABLES).put(sent)
    failed = b"Action: failed\nStatus: 5.1.1\n\nMessage-ID: <7.invitation-1.2@vote.example>\n"
    for text, said in ((failed, "About 7, to 2: 5.1.1\n"), (b"Hello", "Nothing changed.\n")):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
        code, out, _ = type_of("bounce")("elections", "--folder", site)
        assert (code, out.endswith(said)) == (0, True)
