"""`singletable new entity` designs an entity, and writes a module with it and its patterns."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from tests.cli.run import Run

SHOP = '''"""A shop."""

from typing import Literal

from singletable import (
    Attr,
    Collection,
    Entity,
    Index,
    Key,
    PatternCatalog,
    Table,
    attr,
    padded,
)

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
shop = Table("shop", indexes=[gsi1])


class User(Entity, table=shop):
    """Someone."""

    username: Attr[str] = attr()
    role: Attr[Literal["guest", "admin"]] = attr()

    key = Key(pk=("USER", username), sk="PROFILE")
    by_role = Key(pk=("ROLE", role), sk=username).on(gsi1)


class Order(Entity, table=shop):
    """An order."""

    username: Attr[str] = attr()
    number: Attr[int] = attr()

    key = Key(pk=("USER", username), sk=("ORDER", padded(number, 4)))


class Account(Collection):
    """A user with orders."""

    user: User
    orders: list[Order]


patterns = PatternCatalog("shop", shop, sizes={User: 200})
by_role = patterns.read("AP1", "Users with a role", User.by_role)
account = patterns.read("AP2", "A user with orders", User.key.partition, collection=Account)
patterns.check()
'''
PROJECT = ("--owned-by", "User", "--field", "title:str", "--field", "status:open|done")


@pytest.fixture
def app(folder: Path) -> str:
    """Write an app of one module, and return its name."""
    (folder / "scaffold_shop.py").write_text(SHOP)
    return "scaffold_shop"


def _created(run: Run, *arguments: str) -> tuple[str, str]:
    """Return the module that the command prints, and on one line what it says about it."""
    code, out, err = run("new", "entity", *arguments, "--yes")
    assert code == 0, err
    return out, " ".join(err.split())


def test_owned_entity_shares_the_partition_of_its_owner(run: Run, app: str, folder: Path) -> None:
    options = ("--across", "status", "--order", "title", "--items", "1000", "--size", "250")
    module, said = _created(run, "Project", app, *PROJECT, *options)
    assert "GSI1PK = PROJECT#STATUS#{status}" in said, said
    assert "AP2 (A user with orders) reads the partition of a user" in said
    assert "from scaffold_shop import gsi1, shop\n" in module
    assert 'key = Key(pk=("USER", username), sk=("PROJECT", project_id))' in module
    assert "sk=(title, project_id)" in module
    assert 'get_project = projects.read("P1", "Get a project", Project.key)' in module
    assert "sizes={Project: 250}, counts={Project: 1_000}" in " ".join(module.split())
    assert (folder / "scaffold_shop.py").read_text() == SHOP


def test_entity_without_owner_has_its_own_partitions(run: Run, app: str) -> None:
    fields = ("--field", "sku:str", "--field", "price:Decimal", "--field", "changed:updated")
    module, _ = _created(run, "Product", app, *fields, "--id", "sku", "--all")
    assert 'key = Key(pk=("PRODUCT", sku), sk="PRODUCT")' in module
    assert 'listed = Key(pk="PRODUCTS", sk=sku).on(gsi1)' in module
    assert "updates(Product, Product.price)" in module
    assert "from datetime import datetime\nfrom decimal import Decimal\n\nfrom" in module


def test_single_entity_of_an_owner_has_no_list(run: Run, app: str) -> None:
    module, _ = _created(run, "Bio", app, "--owned-by", "User", "--one", "--field", "text:str?")
    assert 'key = Key(pk=("USER", username), sk="BIO")' in module
    assert "text: Attr[str | None] = attr(default=None)" in module
    assert "bios_of_user" not in module


# A list of orders must not read, and pay for, what is below each order.
def test_owner_with_values_in_its_sort_key_gets_partitions_for_what_it_owns(
    run: Run, app: str
) -> None:
    module, said = _created(run, "Line", app, "--owned-by", "Order")
    assert "lists of orders do not read them" in said
    assert 'pk=("ORDER", username, padded(order_number, 4)), sk=("LINE", line_id)' in module
    assert "order_number: Attr[int] = attr()" in module


def test_several_dimensions_are_a_multi_attribute_index(run: Run, app: str, folder: Path) -> None:
    fields = ("--field", "city:str", "--field", "stars:int", "--field", "day:date")
    options = ("--across", "city", "--across", "stars", "--order", "day")
    module, said = _created(run, "Visit", app, *fields, *options)
    index = 'gsi2 = Index("GSI2", pk=("city", Number("stars")), sk=("day", "visit_id"))'
    assert f"Declare it in {app}, add it to the table" in said
    assert index in said
    key = "by_city_and_stars = Key(pk=(city, stars), sk=(day, visit_id)).on(gsi2)"
    assert key in module
    # After that, the module works.
    new = SHOP.replace("shop = Table", f"{index}\nshop = Table").replace("[gsi1]", "[gsi1, gsi2]")
    new = new.replace("    Key,\n", "    Key,\n    Number,\n")
    (folder / "scaffold_shop.py").write_text(new.replace("\npatterns.check()", ""))
    (folder / "visit.py").write_text(module)
    del sys.modules[app]
    assert run("plan", "visit")[0] == 0


# "Expert" sorts before "Novice" in a multi-attribute key, whatever they mean.
def test_choices_sort_in_their_own_order(run: Run, app: str) -> None:
    fields = ("--field", "city:str", "--field", "team:str", "--field", "level:Novice|Expert")
    options = ("--across", "city", "--across", "team", "--order", "level")
    module, said = _created(run, "Player", app, *fields, *options)
    assert "level would not sort in its own order" in said
    assert 'pk=("PLAYER#CITY#TEAM", city, team), sk=(ordered(level), player_id)' in module


def test_rates_show_cost_and_hot_partitions(run: Run, app: str) -> None:
    rates = ("--read-rate", "20/s", "--write-rate", "2000/s", "--items", "10000")
    _, said = _created(run, "Project", app, *PROJECT, "--across", "status", *rates)
    assert "On demand in us-east-1: $" in said
    assert "The partition key PROJECT#STATUS#status-1 of shop/GSI1 receives" in said


def test_module_is_written_to_a_new_file_only(run: Run, app: str, folder: Path) -> None:
    arguments = ("Project", app, *PROJECT, "--output", "project.py")
    module, said = _created(run, *arguments)
    assert (module, "Written to project.py." in said) == ("", True)
    assert "class Project(Entity, table=shop):" in (folder / "project.py").read_text()
    assert run("new", "entity", *arguments, "--yes")[0] == 2
    assert run("plan", "project")[0] == 0


def test_answers_to_questions_have_the_effect_of_options(
    run: Run, app: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--across", "status", "--order", "title", "--items", "10")
    rates = ("--read-rate", "5/min", "--write-rate", "1/h")
    expected, _ = _created(run, "Project", app, *PROJECT, *options, *rates)
    # Wrong answers are asked again.
    answers = "Usr User y title:str 7up status:open|done ? ? status title ten 10 5/min 1/h ?"
    typed = "\n".join("" if one == "?" else one for one in answers.split())
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{typed}\n"))
    code, out, err = run("new", "entity", "Project", app)
    assert (code, out) == (0, expected), err


def test_style_of_attributes_and_type_tags_is_kept(run: Run, app: str, folder: Path) -> None:
    styled = SHOP.replace("(Entity, table=shop)", '(Entity, table=shop, type_tag=("Type", "X"))', 1)
    styled = styled.replace(
        "username: Attr[str] = attr()", 'username: Attr[str] = attr(name="UserName")'
    )
    styled = styled.replace("number: Attr[int] = attr()", 'number: Attr[int] = attr(name="Number")')
    styled = styled.replace("= attr()\n\n    key", '= attr(name="Role")\n\n    key', 1)
    (folder / "scaffold_shop.py").write_text(styled)
    module, _ = _created(run, "Note", app, "--owned-by", "User", "--field", "text")
    assert 'class Note(Entity, table=shop, type_tag=("Type", "Note")):' in module
    assert 'note_id: Attr[str] = attr(name="NoteId")' in module
    assert 'username: Attr[str] = attr(name="UserName")' in module


# A new index would cost more than reading the items of a list from the table.
def test_index_with_some_attributes_is_used(run: Run, app: str, folder: Path) -> None:
    partial = SHOP.replace('sk="GSI1SK")', 'sk="GSI1SK", projection=["username"])')
    (folder / "scaffold_shop.py").write_text(partial)
    options = ("--across", "status", "--order", "title")
    module, said = _created(run, "Project", app, *PROJECT, *options)
    assert "GSI1 does not project all attributes" in said
    assert "sk=(title, project_id)).on(gsi1)" in " ".join(module.split())


def test_codes_of_patterns_can_be_chosen_and_continue(run: Run, app: str) -> None:
    assert '"Q1", "Get a project"' in _created(run, "Project", app, *PROJECT, "--code", "Q")[0]
    assert '"AP3", "Get a project"' in _created(run, "Project", app, *PROJECT, "--code", "AP")[0]


# The module with the patterns imports the table; the new module imports it from where it is.
def test_names_are_imported_from_the_module_of_the_entities(run: Run, folder: Path) -> None:
    package = folder / "scaffold_package"
    package.mkdir()
    entities, patterns = SHOP.split("patterns =", 1)
    (package / "__init__.py").touch()
    (package / "entities.py").write_text(entities)
    (package / "patterns.py").write_text(
        "from singletable import PatternCatalog\n\nfrom .entities import Account, User, shop\n\n"
        f"patterns ={patterns}"
    )
    module, said = _created(run, "Note", "scaffold_package.patterns", "--owned-by", "User")
    assert "from scaffold_package.entities import shop\n" in module
    assert "AP2 (A user with orders) reads the partition of a user" in said


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("project", "scaffold_shop"), "such as Project."),
        (("User", "scaffold_shop"), "There is an entity User already."),
        (("Table", "scaffold_shop"), "such as TableItem."),
        (("Project", "no_such_module"), "There is no module no_such_module"),
        (("Project", "scaffold_shop:other"), "Its tables: shop."),
        (("Project", "json"), "declares no table"),
        (("Project", "scaffold_shop", "--one"), "say which entity owns it"),
        (("Project", "scaffold_shop", "--owned-by", "user"), "Did you mean User?"),
        (("Project", "scaffold_shop", "--field", "Title:str"), "such as title."),
        (("Project", "scaffold_shop", "--field", "class:str"), "class_value"),
        (("Project", "scaffold_shop", "--field", "self:str"), "self_value"),
        (("Project", "scaffold_shop", "--field", "a:string"), "'string' is not a type"),
        (("Project", "scaffold_shop", "--field", "a:x|x"), "several different values"),
        (("Project", "scaffold_shop", "--field", "a:version?"), "always has a value"),
        (("Project", "scaffold_shop", "--field", "a", "--field", "a"), "declared twice"),
        (("Project", "scaffold_shop", "--field", "created:date"), "Write created:created, or"),
        (
            ("Project", "scaffold_shop", "--field", "a:created", "--field", "b:created"),
            "one field of a kind, but got created, created",
        ),
        (("Project", "scaffold_shop", "--field", "ends:expires"), "ttl"),
        (("Project", "scaffold_shop", "--field", "a:float", "--id", "a"), "part of a key"),
        (("Project", "scaffold_shop", "--across", "color"), "has no field 'color'"),
        (("Project", "scaffold_shop", "--field", "a:bytes", "--across", "a"), "part of a key"),
        (("Project", "scaffold_shop", "--order", "project_id"), "for queries across owners"),
        (("Project", "scaffold_shop", "--field", "a", "--across", "a", "--all"), "Pass one."),
        (
            ("Project", "scaffold_shop", "--field", "a", "--across", "a", "--order", "a"),
            "nothing to sort by",
        ),
        (("Project", "scaffold_shop", "--across", "project_id"), "nothing to sort by"),
        (("Project", "scaffold_shop", "--read-rate", "20"), "is not a rate"),
        (("Project", "scaffold_shop", "--items", "-1"), "--items"),
        (("Project", "scaffold_shop", "--size", "500000"), "--size"),
    ],
)
def test_wrong_input_is_an_error(
    run: Run, app: str, arguments: tuple[str, ...], expected: str
) -> None:
    code, out, err = run("new", "entity", *arguments, "--yes")
    assert (code, out, expected in " ".join(err.split())) == (2, "", True), err


# The module is run before it is written.
def test_key_that_another_entity_has_is_rejected(run: Run, app: str, folder: Path) -> None:
    taken = SHOP.replace('sk=("ORDER", padded(number, 4))', 'sk=("MEMO", padded(number, 4))')
    (folder / "scaffold_shop.py").write_text(taken)
    assert "could be the same key in table 'shop'" in run.rejected(
        "new", "entity", "Memo", app, "--owned-by", "User", "--yes"
    )
