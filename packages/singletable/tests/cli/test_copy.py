"""`singletable copy` as it is typed in a terminal."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from dynamodb_engine.operations import Scan
from singletable import Attr, Engine, Entity, Key, Store, Table, attr
from tools.testing.commands import Run

shop = Table("copied-shop")
other = Table("other", pk="id", sk=None)
A, B = "file:a.db", "file:b.db"


class Customer(Entity, table=shop):
    email: Attr[str] = attr(name="Email")
    name: Attr[str] = attr(name="Name")
    key = Key(pk=("CUSTOMER", email), sk="CUSTOMER")


@pytest.fixture(autouse=True)
def source(folder: Path) -> None:
    """Create a file with two tables, one of them empty."""
    with Engine.on_file(Path("a.db")) as engine:
        store = Store(engine)
        for table in (shop, other):
            store.admin.create_table(table)
        for number in range(8):
            store.create(Customer(email=f"c{number}@example.org", name=f"Name {number}"))


def emails(file: str = "b.db", table: str = "copied-shop") -> list[str]:
    with Engine.on_file(Path(file)) as engine:
        return sorted(one["Email"]["S"] for one in engine.execute(Scan(table)).items)


def test_copies_all_tables(run: Run) -> None:
    code, out, err = run("copy", A, B, "--yes")
    assert (code, err) == (0, "")
    assert "copied-shop: about 8 items, to a new table copied-shop" in out
    assert "copied-shop: 8 items copied." in out
    assert "other: 0 items copied." in out
    assert emails() == emails("a.db")
    assert "to an existing table" in run("copy", A, B, "--yes")[1]


def test_copies_one_table_under_another_name(run: Run) -> None:
    code, out, _ = run("copy", A, B, "--table", "copied-shop=mine", "-y")
    assert (code, out.splitlines()[-1]) == (0, "mine: 8 items copied.")
    assert len(emails(table="mine")) == 8
    # In the same file under another name.
    assert run("copy", A, A, "--table", "copied-shop=again", "-y")[0] == 0
    assert len(emails("a.db", "again")) == 8


def test_dry_run_shows_changed_items_and_creates_no_file(run: Run) -> None:
    code, out, err = run(
        "copy", A, B, "--table", "copied-shop", "--fake", "Email=email", "--dry-run"
    )
    assert code == 0
    assert "The secret of this copy is" in err
    assert "The first items of copied-shop:" in out
    assert "PK=CUSTOMER#" in out
    assert "example.org" not in out
    assert not Path("b.db").exists()


def test_fakes_are_counted_and_misspelled_attributes_reported(run: Run) -> None:
    code, out, err = run(
        "copy", A, B, "--table", "copied-shop", "--fake", "Email=email", "--fake", "name=remove",
        "--secret", "correct horse", "-y",
    )  # fmt: skip
    assert code == 0
    assert "Email: replaced 8 times" in out
    assert err == "  name: no item has this attribute. Check its spelling.\n"
    assert all(one.endswith("@example.com") for one in emails())


def test_copy_needs_confirmation(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", StringIO("n\ny\n"))
    assert run("copy", A, B)[0] == 1
    assert run("copy", A, B)[0] == 0
    assert len(emails()) == 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("file:none.db", B), "There is no file 'none.db'"),
        ((A, "memory:"), "would be lost"),
        ((A, A), "copied onto itself"),
        ((A, B, "--table", "shops"), "There is no table 'shops'"),
        (
            (A, B, "--table", "copied-shop=other", "--table", "other"),
            "two tables would be copied to 'other'",
        ),
        ((A, B, "--sample", "2"), "expected a fraction"),
        ((A, B, "--fake", "Email=nothing"), "Kinds: email"),
        ((A, B, "--fake", "Email"), "Expected ATTRIBUTE=KIND"),
        ((A, B, "--fake", "Email=hash", "--secret", "x"), "1 characters"),
        ((A, "b.db"), "Did you mean 'file:b.db'?"),
    ],
)
def test_wrong_arguments_change_nothing(run: Run, arguments: list[str], message: str) -> None:
    assert message in run.rejected("copy", *arguments, "--yes")
    if Path("b.db").exists():
        with Engine.on_file(Path("b.db")) as engine:
            from singletable.cli.existing_tables import list_tables

            assert list(list_tables(engine)) == []
