"""`singletable table` creates declared tables and reports differences."""

from __future__ import annotations

import pytest

from dynamodb_engine.testing import endpoint
from singletable import Engine, ListTables, Table, connect
from singletable.tables import TableSettings, create_table
from tests.store.known_failures import DYNALITE
from tests.store.other_engines import Foreign
from tools.testing.commands import Run

APP = "tools.testing.designs.shop"
NO_RECOVERY = (
    "  - point-in-time recovery: unknown, because this address does not support backups of the "
    "table.\n"
)
pytestmark = pytest.mark.usefixtures("folder", "wide_terminal")


def test_tables_are_created_once_and_are_as_declared(run: Run) -> None:
    created = run("table", "create", APP, "file:shop.db")
    assert created == (0, "shop: created as declared\nshop-log: created as declared\n", "")
    again = run("table", "create", APP, "file:shop.db")
    assert again == (0, "shop: as declared\nshop-log: as declared\n", "")
    assert run("table", "check", APP, "file:shop.db") == again


def test_tables_are_created_and_checked_over_http(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")
    with Engine.in_memory() as engine, endpoint(engine) as url:
        address = f"dynamodb+{url}?region=us-east-1"
        assert run("table", "check", APP, address)[0] == 2
        options = ("--recovery-days", "7", "--encryption", "aws-owned")
        assert run("table", "create", APP, address, *options)[0] == 0
        checked = run("table", "check", APP, address, *options)
        shop, log = (f"{name}: as declared\n{NO_RECOVERY}" for name in ("shop", "shop-log"))
        assert checked == (0, shop + log, "")


# Options of a group are accepted before and after its commands.
@pytest.mark.parametrize("place", [0, 2, 3, 4])
def test_table_is_created_under_its_real_name(run: Run, place: int) -> None:
    words = ["table", "create", f"{APP}:log", "file:shop.db"]
    given = [*words[:place], "--table-name", "shop-log=shop-log-dev", *words[place:]]
    assert run(*given)[:2] == (0, "shop-log-dev: created as declared\n")
    with connect("file:shop.db") as driver:
        assert driver.execute(ListTables()).table_names == ["shop-log-dev"]


def test_settings_may_come_before_the_command(run: Run) -> None:
    words = (f"{APP}:log", "file:shop.db")
    assert run("table", "--stream", "NEW_IMAGE", "create", *words)[0] == 0
    assert run("table", "--stream=NEW_IMAGE", "check", *words)[0] == 0
    assert run("table", "check", "--stream=KEYS_ONLY", *words)[0] == 1


@pytest.mark.parametrize("command", ["check", "create"])
def test_differences_are_reported_and_nothing_is_changed(run: Run, command: str) -> None:
    with connect("file:shop.db") as driver:
        for other in (Table("shop", ttl="expires"), Table("shop-log", sk=None)):
            create_table(driver, other, other.name, TableSettings())
    code, out, err = run("table", command, APP, "file:shop.db")
    assert (code, err) == (1, "")
    assert [line.partition(", but")[0] for line in out.splitlines()] == [
        "shop: 2 differences",
        "  - global index 'by_day': declared 'GSI1PK' (string), sorted by 'GSI1SK' (string)",
        "  - time to live: declared 'ttl'",
        "shop-log: as declared",
    ]


def test_settings_are_applied_and_checked(run: Run) -> None:
    options = ("--deletion-protection", "--stream", "NEW_IMAGE")
    assert run("table", "create", f"{APP}:log", "file:shop.db", *options)[0] == 0
    assert run("table", "check", f"{APP}:log", "file:shop.db", *options)[0] == 0
    code, out, _ = run("table", "check", f"{APP}:log", "file:shop.db", "--no-deletion-protection")
    assert code == 1
    assert "shop-log: 1 difference\n" in out
    assert "deletion protection: declared off, but found on." in out


# The engine keeps no history.
def test_recovery_and_encryption_are_checked(run: Run) -> None:
    options = ("--recovery-days", "7", "--encryption", "aws-owned")
    created = run("table", "create", f"{APP}:log", "file:shop.db", *options)
    assert created == (0, f"shop-log: created as declared\n{NO_RECOVERY}", "")
    checked = run("table", "check", f"{APP}:log", "file:shop.db", *options)
    assert checked == (0, f"shop-log: as declared\n{NO_RECOVERY}", "")
    other = ("--recovery-days", "35", "--encryption", "aws-managed")
    code, out, _ = run("table", "check", f"{APP}:log", "file:shop.db", *other)
    assert code == 1
    assert [line.partition(", but")[0] for line in out.splitlines()][:2] == [
        "shop-log: 1 difference",
        "  - encryption: declared the AWS managed key for DynamoDB",
    ]


# dynalite has no backups and ignores encryption.
@pytest.mark.rest
def test_unsupported_settings_are_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "any")
    with Foreign() as engines:
        address = engines.address(DYNALITE)
        words = (f"{APP}:log", address, "--recovery-days", "7")
        assert run("table", "create", *words) == (
            0,
            f"shop-log: created as declared\n{NO_RECOVERY}",
            "",
        )
        assert run("table", "check", *words) == (0, f"shop-log: as declared\n{NO_RECOVERY}", "")
        again = ("--table-name", "shop-log=other", "--encryption", "aws-managed")
        code, out, _ = run("table", "create", *words, *again)
    assert code == 1
    assert out.startswith("other: created with 1 difference\n  - encryption: declared the AWS")
    assert out.endswith(NO_RECOVERY)


def test_missing_table_is_reported_beside_the_others(run: Run) -> None:
    run("table", "create", f"{APP}:log", "file:shop.db")
    code, out, err = run("table", "check", APP, "file:shop.db")
    assert (code, out) == (2, "shop-log: as declared\n")
    assert err == (
        "singletable: There is no table 'shop' at this address. Create it with: "
        f"singletable table create {APP} ADDRESS\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no_such_shop", "memory:"), "There is no module no_such_shop"),
        ((f"{APP}:nothing", "memory:"), "no table 'nothing'. Its tables: shop, log"),
        ((APP, "nowhere"), "'nowhere' is not an address"),
        ((APP, "memory:", "--table-name", "shp=x"), "'shp'"),
        ((APP, "memory:", "--table-name", "shop"), "Expected DECLARED=REAL"),
        ((APP, "memory:", "--stream", "ALL"), "ALL"),
    ],
)
def test_invalid_options_are_rejected(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in run.rejected("table", "create", *arguments)
