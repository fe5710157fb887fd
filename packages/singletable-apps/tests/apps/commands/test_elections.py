"""The commands of `singletable elections`, and their errors."""

from __future__ import annotations

import json
import socket
from datetime import UTC, datetime
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from singletable import Engine, Store
from singletable_apps.elections.entities import User
from singletable_apps.elections.events import Event
from singletable_apps.elections.keys import load_or_create_keys
from singletable_apps.elections.roles import Role
from singletable_apps.elections.sample import PASSWORD, SAMPLE_ELECTIONS, SAMPLE_PEOPLE
from singletable_apps.elections.service import TABLES
from singletable_apps.shared.mail import Email
from singletable_apps.shared.outbox import Delivery, DeliveryState, Outbox
from tests.apps.commands.typed import Run


def test_sample_prints_accounts_and_needs_empty_tables(run: Run, folder: Path) -> None:
    said = (folder / "sample.txt").read_text()
    assert PASSWORD in said
    for word in (
        *(f"{person.name} " for person in SAMPLE_PEOPLE),
        *(poll.name for poll in SAMPLE_ELECTIONS),
    ):
        assert word in said
    code, _, err = run("sample", "--address", f"file:{folder}/votes.db", "--keys", folder / "keys")
    assert code == 2
    assert err.startswith("singletable: There are 89 events already")


def test_exported_log_can_be_restored(run: Run, folder: Path) -> None:
    file, there = folder / "log.jsonl", f"file:{folder}/restored.db"
    code, out, _ = run("export", file, "--address", f"file:{folder}/votes.db")
    assert code == 0
    assert "The log has 89 events" in out
    assert file.stat().st_mode & 0o777 == 0o600
    assert sorted(one.name for one in folder.iterdir()) == [
        "keys",
        "log.jsonl",
        "sample.txt",
        "votes.db",
    ]
    code, out, _ = run("restore", file, "--address", there, "--keys", folder / "keys")
    assert code == 0
    assert "Restored from" in out
    code, out, _ = run("verify", "--address", there, "--keys", folder / "keys")
    assert code == 0
    assert "match the log" in out
    code, out, _ = run(
        "tally", "board 2026", "--address", there, "--keys", folder / "keys", "--json"
    )
    assert code == 0
    assert json.loads(out)["winners"] == ["Katherine"]


def test_verify_finds_tampering_and_rebuild_repairs_it(run: Run, folder: Path) -> None:
    place = ("--address", f"file:{folder}/votes.db", "--keys", folder / "keys")
    with Engine.on_file(folder / "votes.db") as engine:
        Store(engine, tables=TABLES).update(User.key("Radia"), User.role.set(Role.OWNER))
    code, _, err = run("verify", *place)
    assert code == 1
    assert "USER#Radia / METADATA differs in role" in err
    assert run("rebuild", *place) == (0, "Rebuilt the table from 89 events.\n", "")
    assert run("verify", *place)[0] == 0
    with Engine.on_file(folder / "votes.db") as engine:
        Store(engine, tables=TABLES).update(Event.key(1), Event.actor.set("eve"))
    code, _, err = run("verify", *place)
    assert (code, "Event 1 was changed" in err) == (1, True)


def test_outbox_prints_newest_first(run: Run, folder: Path) -> None:
    at = f"file:{folder}/votes.db"
    assert run("outbox", "--address", at) == (0, "No e-mails in the last week.\n", "")
    with Engine.on_file(folder / "votes.db") as engine:
        outbox = Outbox(Store(engine, tables=TABLES), secret=bytes(32))
        for second, name in enumerate(("first", "second")):
            now = datetime.now(UTC).replace(microsecond=second)
            outbox.send(Email("ada@example.org", name, f"the \x1b[31m{name} text"), now)
            assert outbox.deliver(now) == 1
    code, out, _ = run("outbox", "--address", at)
    assert code == 0
    assert out.index("second text") < out.index("first text")
    assert "\x1b" not in out
    assert "older" not in out
    _, out, _ = run("outbox", "--address", at, "--limit", "1")
    assert "first text" not in out
    assert "There are older e-mails." in out


def test_tally_shows_only_visible_results(run: Run, folder: Path) -> None:
    place = ("--address", f"file:{folder}/votes.db", "--keys", folder / "keys")
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
    "no address": (
        ("verify", "--address", "votes.db", "--keys", "keys"),
        "Did you mean 'file:votes.db'?",
    ),
    "a strange address": (
        ("verify", "--address", "ftp:votes", "--keys", "keys"),
        "Unknown kind of address",
    ),
    "a file that is not there": (
        ("export", "x", "--address", "file:no.db"),
        "There is no file 'no.db'",
    ),
    "a file of something else": (("export", "x", "--address", "file:text"), "text"),
    "no tables": (
        ("export", "x", "--address", "memory:"),
        "vote_data and vote_event_log not found",
    ),
    "a folder that cannot be": (
        ("sample", "--address", "file:text/votes.db", "--keys", "keys"),
        "Cannot use 'text'",
    ),
    "no export": (
        ("restore", "no.jsonl", "--address", "memory:", "--keys", "keys"),
        "Cannot use 'no.jsonl'",
    ),
    "an export that is none": (
        ("restore", "text", "--address", "memory:", "--keys", "keys"),
        "Line 1 is not a line",
    ),
    "a file that is there": (("export", "text", "--address", "file:votes.db"), "already exists"),
    "a folder that is not there": (
        ("export", "no/log.jsonl", "--address", "file:votes.db"),
        "Cannot use 'no/log.jsonl': No such file or directory.",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_error_is_one_line_that_says_what_to_do(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    monkeypatch.chdir(folder)
    (folder / "text").write_text("hello\n")
    arguments, why = ERRORS[case]
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("singletable: ")
    assert why in err
    assert "Traceback" not in err
    assert (folder / "text").read_text() == "hello\n"


def test_port_in_use_is_rejected_before_files_are_created(run: Run, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        place = ("--address", f"file:{tmp_path}/votes.db", "--keys", tmp_path / "keys")
        code, _, err = run("serve", *place, "--port", str(port))
    assert code == 2
    assert f"Cannot listen on 127.0.0.1 port {port}: Address already in use. Choose" in err
    assert list(tmp_path.iterdir()) == []


# A new key cannot open sealed ballots, so elections could not be closed.
@pytest.mark.parametrize("name", ["ballots.key", "signing.key"])
def test_wrong_keys_are_rejected(run: Run, folder: Path, name: str) -> None:
    place = ("--address", f"file:{folder}/votes.db", "--keys", folder / "keys", "--port", "0")
    kept = (folder / "keys" / name).read_text()
    (folder / "keys" / name).unlink()
    code, _, err = run("serve", *place)
    assert (code, f"{folder}/keys/{name}" in err) == (2, True)
    assert not (folder / "keys" / name).exists()
    code, _, err = run("serve", *place, "--new-keys")
    assert (code, f"the file {name} from your backup" in err) == (2, True)
    (folder / "keys" / name).write_text(kept)
    load_or_create_keys(folder / "keys")
    assert run("tally", "Board 2026", *place[:4])[0] == 0


def test_key_file_readable_by_others_is_rejected(run: Run, folder: Path) -> None:
    (folder / "keys" / "ballots.key").chmod(0o644)
    place = ("--address", f"file:{folder}/votes.db", "--keys", folder / "keys")
    code, _, err = run("tally", "Board 2026", *place)
    assert (code, "chmod 600" in err) == (2, True)


def test_bounce_notes_the_e_mail_of_a_report(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
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
    with Engine.on_file(folder / "votes.db") as engine:
        Store(engine, tables=TABLES).put(sent)
    failed = b"Action: failed\nStatus: 5.1.1\n\nMessage-ID: <7.invitation-1.2@vote.example>\n"
    for text, said in ((failed, "Election 7, voter 2: 5.1.1\n"), (b"Hello", "Nothing changed.\n")):
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
        code, out, _ = run("bounce", "--address", f"file:{folder}/votes.db")
        assert (code, out.endswith(said)) == (0, True)
