"""Tables are loaded from a module by its name, and errors are explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from singletable import DeclarationError
from singletable.cli.app_loader import load_tables

SHOP = """
from singletable import Attr, Entity, Key, Table, attr

shop = Table("shop")
log = Table("log", sk=None)

class Order(Entity, table=shop):
    id: Attr[str] = attr()
    key = Key(pk=("ORDER", id), sk="ORDER")
"""


def test_tables_are_in_the_order_of_the_module(folder: Path) -> None:
    (folder / "shop_of_load.py").write_text(SHOP)
    assert [table.name for table in load_tables("shop_of_load")] == ["shop", "log"]


def test_table_is_found_by_its_entities(folder: Path) -> None:
    (folder / "shop_below.py").write_text(SHOP)
    (folder / "shop_above.py").write_text("from shop_below import Order\n")
    (table,) = load_tables("shop_above")
    assert table.name == "shop"


def test_one_table_is_named_after_a_colon(folder: Path) -> None:
    (folder / "shop_of_two.py").write_text(SHOP)
    (log,) = load_tables("shop_of_two:log")
    (shop,) = load_tables("shop_of_two:Order")
    assert (log.name, shop.name) == ("log", "shop")
    with pytest.raises(DeclarationError, match=r"no table 'lgo'\. Its tables: shop, log"):
        load_tables("shop_of_two:lgo")


@pytest.mark.parametrize(
    ("app", "source", "message"),
    [
        ("not_there", None, "There is no module not_there"),
        ("not_there.entities", None, "there is no not_there"),
        ("raises", "x = 1\nraise RuntimeError('no disk')", "raises.py:2: RuntimeError: no disk"),
        ("leaves", "import sys\nsys.exit(3)", "SystemExit"),
        ("half", "def (:", "is not valid Python"),
        ("imports", "import nowhere_to_be_found", "No module named 'nowhere_to_be_found'"),
        ("rejected", "from singletable import Table\nTable('t', pk='')", "DeclarationError"),
        ("empty", "answer = 42", "declares no table"),
        ("shop/entities.py", None, "Did you mean shop.entities?"),
        ("shop.py", None, "Did you mean shop?"),
        ("not_there:table", None, "There is no module not_there"),
        ("shop/entities.py:table", None, "Did you mean shop.entities?"),
        ("no such thing", None, "is not a module name"),
        ("", None, "is not a module name"),
    ],
)
def test_import_errors_are_explained(
    folder: Path, app: str, source: str | None, message: str
) -> None:
    if source is not None:
        (folder / f"{app}.py").write_text(source)
    with pytest.raises(DeclarationError) as error:
        load_tables(app)
    assert message in str(error.value)


def test_package_without_tables_suggests_a_module(folder: Path) -> None:
    (folder / "shop_package").mkdir()
    (folder / "shop_package" / "__init__.py").write_text("")
    (folder / "shop_package" / "entities.py").write_text(SHOP)
    with pytest.raises(DeclarationError, match=r"Did you mean shop_package\.entities\?"):
        load_tables("shop_package")
