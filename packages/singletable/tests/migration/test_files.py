"""Migration files are numbered without gaps, and one that cannot be used says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import MigrationError
from singletable.migration.migrations import load_migrations, next_name

EMPTY = "from singletable.migration import Migration\n\nmigration = Migration(schema='{}')\n"


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(EMPTY.format(name[:4]))


def test_migrations_are_loaded_in_order_and_named_as_their_files(tmp_path: Path) -> None:
    write(tmp_path, "0002_second.py", "0001_first.py", "_shared.py", "__init__.py")
    loaded = load_migrations(tmp_path)
    assert [(one.name, one.schema) for one in loaded] == [
        ("0001_first", "0001"),
        ("0002_second", "0002"),
    ]
    assert next_name(tmp_path, "Unique e-mails!") == "0003_unique_e_mails"


# An old migration may need what the app no longer declares.
def test_first_migrations_can_be_deleted(tmp_path: Path) -> None:
    write(tmp_path, "0004_d.py", "0005_e.py")
    assert [one.name for one in load_migrations(tmp_path)] == ["0004_d", "0005_e"]
    assert next_name(tmp_path, "f") == "0006_f"
    (tmp_path / "0004_d.py").write_text("from singletable import Gone")
    with pytest.raises(MigrationError, match="delete it and the migrations before it"):
        load_migrations(tmp_path)


def test_missing_folder_has_no_migrations(tmp_path: Path) -> None:
    assert load_migrations(tmp_path / "migrations") == []
    assert next_name(tmp_path / "migrations", "start") == "0001_start"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["0001_a.py", "0003_c.py"], "has no migration 0002 between 0001_a.py and 0003_c.py"),
        (["0001_a.py", "0001_b.py"], "two migrations with the number 0001: 0001_a.py and 0001_b"),
        (["add_email.py"], "is not named as a migration"),
        (["0001_Email.py"], "is not named as a migration"),
    ],
)
def test_gaps_duplicates_and_other_names_are_refused(
    tmp_path: Path, names: list[str], expected: str
) -> None:
    write(tmp_path, *names)
    with pytest.raises(MigrationError, match=expected):
        load_migrations(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "expected a variable named migration, with a Migration.*it has none"),
        ("migration = 3", "it is 3"),
        ("import nothing_here", r"could not be imported at .*0001_a.py:1: ModuleNotFoundError"),
        ("def", "is not valid Python"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        (
            "from singletable.migration import Migration\nmigration = Migration(name='0002_a')",
            "named '0002_a', but a migration is named as its file",
        ),
    ],
)
def test_file_that_is_not_a_migration_is_refused(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "0001_a.py").write_text(text)
    with pytest.raises(MigrationError, match=expected):
        load_migrations(tmp_path)


def test_name_without_a_letter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MigrationError, match="not a name for a migration"):
        next_name(tmp_path, "!!")
