"""`singletable skills`: sample and outbox, and errors that say what to do."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import bcrypt
import pytest

from singletable import Driver, Store
from singletable_apps.shared.frame import Opening
from singletable_apps.shared.serve import PublicUrl, open_driver
from singletable_apps.skills.app import APP
from singletable_apps.skills.entities import User, entities
from singletable_apps.skills.history import phase2, users
from singletable_apps.skills.sample import ACCOUNTS, list_sample
from singletable_apps.skills.service import SkillsService
from tests.apps.commands.typed import Run, RunOf
from tests.apps.support.mailbox import deliver


@pytest.fixture
def typed(type_of: RunOf) -> Run:
    """Type a command about skills."""
    return type_of("skills")


@pytest.fixture
def library(type_of: RunOf) -> Run:
    """Type a command about migrations."""
    return type_of("migration")


def opened(driver: Driver, folder: Path) -> SkillsService:
    """Return the service with the secret in a folder."""
    with APP.open(Opening(driver, folder)) as service:
        return service


def test_sample_has_accounts_and_e_mails_are_in_the_outbox(type_of: RunOf, tmp_path: Path) -> None:
    folder = tmp_path / "skills"
    APP.create_sample(folder, PublicUrl("http://127.0.0.1:8000"))
    with open_driver(APP.address_in(folder)) as driver:
        service = opened(driver, folder)
        sample = list_sample(service)
        service.accounts.request_reset(ACCOUNTS[0][0])
        deliver(service)
    assert sample is not None
    assert len(sample.entries) == len(ACCOUNTS)
    code, out, _ = type_of("outbox")("skills", "--folder", tmp_path)
    assert code == 0
    assert "ines@fernhill.example: Reset your password" in out


def test_outbox_of_a_missing_file_is_an_error(type_of: RunOf, tmp_path: Path) -> None:
    code, _, err = type_of("outbox")("skills", "--address", f"file:{tmp_path}/other.db")
    assert (code, err.strip()) == (2, f"singletable: There is no file '{tmp_path}/other.db'.")


# ------------------------------------------------------------------------------ migration


def fill_users(address: str, *usernames: str) -> None:
    """Store users of the old system, with the password "secret"."""
    hashed = bcrypt.hashpw(b"secret", bcrypt.gensalt(4)).decode()
    with open_driver(address) as driver:
        store = Store(driver)
        store.admin.create_table(users.users, if_missing=True)
        for username in usernames:
            store.create(users.User(username=username, name=username * 2, password_hash=hashed))


def migration(command: str, old: str, new: str) -> tuple[str, ...]:
    return command, "singletable_apps.skills.entities", old, "--to", new


def test_migration_goes_from_a_dry_run_to_the_end(library: Run, typed: Run, tmp_path: Path) -> None:
    old, new, secret = f"file:{tmp_path}/old.db", f"file:{tmp_path}/new.db", tmp_path / "secret"
    fill_users(old, "Ada", "ada", "eve", "a b c")

    def migrate(*words: str, exits: int = 0) -> str:
        code, out, err = library(*migration(words[0], old, new), *words[1:])
        assert code == exits, out + err
        return out + err

    # Nothing is written as long as two people would become one.
    out = migrate("run", "--dry-run", exits=1)
    assert "username=a b c" in out
    assert "1 item would get the same new item as another" in out
    assert not (tmp_path / "new.db").exists()
    assert typed("rename", old, "Ada", "eve")[0] == 2
    assert typed("rename", old, "nobody", "somebody")[0] == 2
    assert typed("rename", old, "Ada", "ada.lovelace")[0] == 0
    assert typed("rename", old, "a b c", "abc")[0] == 0

    assert "Nothing would fail" in migrate("run", "--dry-run")
    assert "ready" in migrate("run")
    assert "as it should be" in migrate("verify")
    assert "cut over" in migrate("cut-over")
    assert "rolled back" in migrate("rollback")
    fill_users(old, "late")
    assert "ready" in migrate("run")
    assert "cut over" in migrate("cut-over")
    assert "finished" in migrate("finish", "--drop-old", "--yes")

    code, out, _ = typed("set-role", "LATE", "admin", "--address", new)
    assert (code, out.strip()) == (0, "latelate (late) is now: admin.")
    with open_driver(new) as driver:
        service = opened(driver, secret)
        for username in ("Ada.Lovelace", "late"):
            service.accounts.sign_in(username, "secret")


# Someone else may have the username there.
def test_migration_does_not_touch_a_directory_in_use(library: Run, tmp_path: Path) -> None:
    old, new = f"file:{tmp_path}/old.db", f"file:{tmp_path}/new.db"
    fill_users(old, "ada")
    with open_driver(new) as driver:
        service = opened(driver, tmp_path / "secret")
        before = service.accounts.register("ada", "Ada Byron", "nine blue horses")
    for words in (("--dry-run",), ()):
        code, _, err = library(*migration("run", old, new), *words)
        assert (code, "has items already" in err) == (2, True)
    with open_driver(new) as driver:
        assert Store(driver).get(User.key("ada")) == before


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            ("set-role", "ada", "boss"),
            "There is no role 'boss'. Use waiting, user, manager, admin.",
        ),
        (("set-role", "nobody", "admin"), "There is no one with the username 'nobody'."),
        (("set-role", "#\n", "admin"), "There is no one with the username"),
    ],
)
def test_set_role_rejects_unknown_people_and_roles(
    typed: Run, tmp_path: Path, words: tuple[str, ...], expected: str
) -> None:
    at = f"file:{tmp_path}/skills.db"
    with open_driver(at) as driver:
        Store(driver).admin.create_table(entities)
    code, _, err = typed(*words, "--address", at)
    assert code == 2
    assert expected in err


# The document's phases, one at a time; the last one needs a second address.
def test_library_runs_the_phases_one_at_a_time(library: Run, typed: Run, tmp_path: Path) -> None:
    old, new, secret = f"file:{tmp_path}/old.db", f"file:{tmp_path}/new.db", tmp_path / "secret"

    def migrate(*words: str) -> str:
        code, out, err = library(words[0], "singletable_apps.skills.history", old, *words[1:])
        assert code == 0, out + err
        return out + err

    fill_users(old, "ada", "Eve")
    for words in (("run",), ("verify",), ("cut-over",), ("finish", "--drop-old", "--yes")):
        assert "0001_glad_entities" in migrate(*words)
    assert "0002_user_skills: finished" in migrate("run", "0002")
    assert "0003_skill_ids      not begun" in migrate("status")
    with open_driver(old) as driver:
        skill = phase2.UserSkill(
            username="ada", skill="C#", level="Expert", years=3, last_used=date(2026, 1, 2)
        )
        Store(driver).create(skill)
    for words in (("run",), ("verify",), ("cut-over",), ("finish",)):
        assert "0003_skill_ids" in migrate(*words, "--to", new)
    assert typed("catalog", new)[:2] == (0, "Skills: 1\n")
    with open_driver(new) as driver:
        service = opened(driver, secret)
        assert service.user_skills.get("ADA", "c sharp").skill_name == "C#"
        service.accounts.sign_in("eve", "secret")
