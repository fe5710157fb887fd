"""`singletable new entity` designs an entity, and adds it with its patterns and tests."""

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


def _source(folder: Path) -> str:
    return (folder / "scaffold_shop.py").read_text()


def test_owned_entity_shares_the_partition_of_its_owner(run: Run, app: str, folder: Path) -> None:
    options = ("--across", "status", "--order", "title", "--items", "1000", "--yes")
    code, out, _ = run("new", "entity", "Project", app, *PROJECT, *options)
    assert code == 0
    assert "GSI1PK = PROJECT#STATUS#{status}" in out
    assert "AP2 (A user with orders) reads the partition of a user" in " ".join(out.split())
    source = _source(folder)
    assert 'key = Key(pk=("USER", username), sk=("PROJECT", project_id))' in source
    assert "sk=(title, project_id)" in source
    assert 'get_project = patterns.read("AP3", "Get a project", Project.key)' in source
    assert "sizes={User: 200, Project: 250}" in source
    assert "counts={Project: 1_000}" in source
    assert source.index("class Project") < source.index("class Account")
    assert source.endswith("\npatterns.check()\n")
    assert "def test_projects_by_status(" in (folder / "test_project.py").read_text()


def test_entity_without_owner_has_its_own_partitions(run: Run, app: str, folder: Path) -> None:
    fields = ("--field", "sku:str", "--field", "price:Decimal", "--field", "changed:updated")
    code, *_ = run("new", "entity", "Product", app, *fields, "--id", "sku", "--all", "--yes")
    assert code == 0
    source = _source(folder)
    assert 'key = Key(pk=("PRODUCT", sku), sk="PRODUCT")' in source
    assert 'listed = Key(pk="PRODUCTS", sk=sku).on(gsi1)' in source
    assert "updates(Product, Product.price)" in source
    assert "from datetime import datetime\nfrom decimal import Decimal\nfrom typing" in source


def test_single_entity_of_an_owner_has_no_list(run: Run, app: str, folder: Path) -> None:
    fields = ("--field", "text:str?")
    assert run("new", "entity", "Bio", app, "--owned-by", "User", "--one", *fields, "--yes")[0] == 0
    source = _source(folder)
    assert 'key = Key(pk=("USER", username), sk="BIO")' in source
    assert "text: Attr[str | None] = attr(default=None)" in source
    assert "bios_of_user" not in source


# A list of orders must not read, and pay for, what is below each order.
def test_owner_with_values_in_its_sort_key_gets_partitions_for_what_it_owns(
    run: Run, app: str, folder: Path
) -> None:
    code, out, _ = run("new", "entity", "Line", app, "--owned-by", "Order", "--yes")
    assert code == 0
    assert "lists of orders do not read them" in " ".join(out.split())
    source = _source(folder)
    assert 'pk=("ORDER", username, padded(order_number, 4)), sk=("LINE", line_id)' in source
    assert "order_number: Attr[int] = attr()" in source


def test_several_dimensions_are_a_multi_attribute_index(run: Run, app: str, folder: Path) -> None:
    fields = ("--field", "city:str", "--field", "stars:int", "--field", "day:date")
    options = ("--across", "city", "--across", "stars", "--order", "day", "--yes")
    code, out, _ = run("new", "entity", "Visit", app, *fields, *options)
    assert code == 0
    assert "The index GSI2 is new" in " ".join(out.split())
    source = _source(folder)
    index = 'gsi2 = Index("GSI2", pk=("city", Number("stars")), sk=("day", "visit_id"))'
    assert f'{index}\nshop = Table("shop", indexes=[gsi1, gsi2])' in source
    key = "by_city_and_stars = Key(pk=(city, stars), sk=(day, visit_id)).on(gsi2)"
    assert key in source


# "Expert" sorts before "Novice" in a multi-attribute key, whatever they mean.
def test_choices_sort_in_their_own_order(run: Run, app: str, folder: Path) -> None:
    fields = ("--field", "city:str", "--field", "team:str", "--field", "level:Novice|Expert")
    options = ("--across", "city", "--across", "team", "--order", "level", "--yes")
    code, out, _ = run("new", "entity", "Player", app, *fields, *options)
    assert code == 0
    assert "level would not sort in its own order" in " ".join(out.split())
    assert 'pk=("PLAYER#CITY#TEAM", city, team), sk=(ordered(level), player_id)' in _source(folder)


def test_rates_show_cost_and_hot_partitions(run: Run, app: str) -> None:
    rates = ("--read-rate", "20/s", "--write-rate", "2000/s", "--items", "10000")
    code, out, _ = run(
        "new", "entity", "Project", app, *PROJECT, "--across", "status", *rates, "-y"
    )
    assert code == 0
    words = " ".join(out.split())
    assert "On demand in us-east-1, they add $" in words
    assert "The partition key PROJECT#STATUS#status-1 of shop/GSI1 gets" in words


def test_dry_run_shows_the_diff_and_writes_nothing(run: Run, app: str, folder: Path) -> None:
    code, out, _ = run("new", "entity", "Project", app, *PROJECT, "--yes", "--dry-run")
    assert code == 0
    assert "+class Project(Entity, table=shop):" in out
    assert "+++ test_project.py" in out
    assert _source(folder) == SHOP
    assert not (folder / "test_project.py").exists()


def test_answers_to_questions_have_the_effect_of_options(
    run: Run, app: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--across", "status", "--order", "title", "--items", "10")
    rates = ("--read-rate", "5/min", "--write-rate", "1/h")
    run("new", "entity", "Project", app, *PROJECT, *options, *rates, "--yes")
    expected = _source(folder), (folder / "test_project.py").read_text()
    (folder / "scaffold_shop.py").write_text(SHOP)
    (folder / "test_project.py").unlink()
    del sys.modules[app]
    # Wrong answers are asked again.
    answers = "Usr User y title:str 7up status:open|done ? ? status title ten 10 5/min 1/h ? y"
    typed = "\n".join("" if one == "?" else one for one in answers.split())
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{typed}\n"))
    code, out, err = run("new", "entity", "Project", app)
    assert code == 0, out + err
    assert (_source(folder), (folder / "test_project.py").read_text()) == expected


def test_declined_proposal_writes_nothing(
    run: Run, app: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n" * 8 + "n\n"))
    code, out, _ = run("new", "entity", "Project", app)
    assert (code, out.splitlines()[-1]) == (1, "Write these files? [Y/n]: Nothing was written.")
    assert _source(folder) == SHOP


def test_style_of_attributes_and_type_tags_is_kept(run: Run, app: str, folder: Path) -> None:
    styled = SHOP.replace("(Entity, table=shop)", '(Entity, table=shop, type_tag=("Type", "X"))', 1)
    styled = styled.replace(
        "username: Attr[str] = attr()", 'username: Attr[str] = attr(name="UserName")'
    )
    styled = styled.replace("number: Attr[int] = attr()", 'number: Attr[int] = attr(name="Number")')
    styled = styled.replace("= attr()\n\n    key", '= attr(name="Role")\n\n    key', 1)
    (folder / "scaffold_shop.py").write_text(styled)
    assert run("new", "entity", "Note", app, "--owned-by", "User", "--field", "text", "-y")[0] == 0
    source = _source(folder)
    assert 'class Note(Entity, table=shop, type_tag=("Type", "Note")):' in source
    assert 'note_id: Attr[str] = attr(name="NoteId")' in source
    assert source.count('username: Attr[str] = attr(name="UserName")') == 3


# Dicts that are too long for the call are variables; comments in them stay.
def test_sizes_in_a_variable_are_edited_there(run: Run, app: str, folder: Path) -> None:
    named = "SIZES = {\n    User: 200,  # measured\n}\nCOUNTS: dict[type, int] = {User: 10}\n"
    call = 'patterns = PatternCatalog("shop", shop, sizes=SIZES, counts=COUNTS)'
    shop = SHOP.replace(
        'patterns = PatternCatalog("shop", shop, sizes={User: 200})', f"{named}{call}"
    )
    (folder / "scaffold_shop.py").write_text(shop)
    code, out, err = run("new", "entity", "Project", app, *PROJECT, "--items", "9", "--yes")
    assert code == 0, out + err
    source = _source(folder)
    assert "SIZES = {\n    User: 200,  # measured\n    Project: 200,\n}\n" in source
    # A dict on one line is not reformatted.
    assert "sizes=SIZES, counts=COUNTS | {Project: 9}" in source


# A new index would cost more than reading the items of a list from the table.
def test_index_with_some_attributes_is_used(run: Run, app: str, folder: Path) -> None:
    partial = SHOP.replace('sk="GSI1SK")', 'sk="GSI1SK", projection=["username"])')
    (folder / "scaffold_shop.py").write_text(partial)
    options = ("--across", "status", "--order", "title", "--yes")
    code, out, err = run("new", "entity", "Project", app, *PROJECT, *options)
    assert code == 0, out + err
    assert "GSI1 does not project all attributes" in out
    assert "found = store.hydrate(" in (folder / "test_project.py").read_text()
    assert "sk=(title, project_id)).on(gsi1)" in " ".join(_source(folder).split())


def test_imports_are_sorted_as_formatters_sort_them(run: Run, folder: Path) -> None:
    package = folder / "scaffold_sorted"
    package.mkdir()
    entities, patterns = SHOP.replace("Order", "Userid").split("patterns =", 1)
    (package / "__init__.py").touch()
    (package / "entities.py").write_text(entities)
    (package / "patterns.py").write_text(
        "from singletable import PatternCatalog\n\nfrom scaffold_sorted.entities import (\n"
        f"    Account,\n    User,\n    Userid,\n    shop,\n)\n\npatterns ={patterns}"
    )
    assert run("new", "entity", "UserName", "scaffold_sorted", "--yes")[0] == 0
    names = "    Account,\n    User,\n    Userid,\n    UserName,\n    shop,\n"
    assert names in (package / "patterns.py").read_text()


def test_codes_of_patterns_can_be_chosen(run: Run, app: str, folder: Path) -> None:
    assert run("new", "entity", "Project", app, *PROJECT, "--code", "Q", "--yes")[0] == 0
    assert '"Q1", "Get a project"' in _source(folder)
    del sys.modules[app]
    more = ("--owned-by", "User", "--field", "text", "--code", "Q", "--yes")
    assert run("new", "entity", "Note", app, *more)[0] == 0
    assert '"Q6", "Get a note"' in _source(folder)


def test_schema_lock_is_mentioned(run: Run, app: str, folder: Path) -> None:
    run("diff", app, "--write")
    _, out, _ = run("new", "entity", "Project", app, *PROJECT, "--yes")
    assert f"singletable diff {app} --write" in out
    del sys.modules[app]
    two = ("--field", "a:int", "--field", "b:int", "--across", "a", "--across", "b")
    _, out, _ = run("new", "entity", "Plot", app, *two, "--yes")
    assert f"singletable migration new {app} add_plot" in out


def test_existing_test_file_is_not_overwritten(run: Run, app: str, folder: Path) -> None:
    (folder / "test_project.py").write_text("mine")
    assert "already exists and is not overwritten" in run.rejected(
        "new", "entity", "Project", app, *PROJECT, "--yes"
    )
    assert (_source(folder), (folder / "test_project.py").read_text()) == (SHOP, "mine")


# A call with comments inside, or with computed arguments, is not rewritten.
@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("indexes=[gsi1])", "indexes=[*(gsi1,)][:1])", "is not written as a list"),
        ("indexes=[gsi1])", "indexes=[\n        gsi1,  # the first\n    ],\n)", "comments inside"),
        ("indexes=[gsi1])", "**{'indexes': [gsi1]})", "may be in **"),
        ("shop = Table(", "shop = other = Table(", "has no line shop = "),
    ],
)  # fmt: skip
def test_what_cannot_be_edited_is_printed(
    run: Run, app: str, folder: Path, before: str, after: str, reason: str
) -> None:
    unusual = SHOP.replace(before, after)
    (folder / "scaffold_shop.py").write_text(unusual)
    fields = ("--field", "a:int", "--field", "b:int", "--across", "a", "--across", "b")
    code, out, err = run("new", "entity", "Plot", app, *fields, "--yes")
    assert code == 1
    assert reason in err
    assert 'gsi2 = Index("GSI2", pk=(Number("a"), Number("b")), sk="plot_id")' in out
    assert "class Plot(Entity, table=shop):" in out
    assert "create_plot = patterns.write(" in out
    assert _source(folder) == unusual
    assert not (folder / "test_plot.py").exists()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("project", "scaffold_shop"), "such as Project."),
        (("User", "scaffold_shop"), "There is an entity User already."),
        (("Account", "scaffold_shop"), "has the name Account already"),
        (("Table", "scaffold_shop"), "such as TableItem."),
        (("Project", "no_such_module"), "There is no module no_such_module"),
        (("Project", "scaffold_shop:other"), "Tables: shop."),
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
        (("Project", "scaffold_shop", "--field", "ends:expires"), "needs a table with a TTL"),
        (("Project", "scaffold_shop", "--field", "a:float", "--id", "a"), "cannot identify"),
        (("Project", "scaffold_shop", "--across", "color"), "has no field 'color'"),
        (("Project", "scaffold_shop", "--field", "a:bytes", "--across", "a"), "part of a key"),
        (("Project", "scaffold_shop", "--order", "project_id"), "for queries across owners"),
        (("Project", "scaffold_shop", "--field", "a", "--across", "a", "--all"), "Pass one."),
        (
            ("Project", "scaffold_shop", "--field", "a", "--across", "a", "--order", "a"),
            "same value",
        ),
        (("Project", "scaffold_shop", "--across", "project_id"), "nothing to sort by"),
        (("Project", "scaffold_shop", "--field", "gsi1"), "the variable of an index"),
        (("Project", "scaffold_shop", "--read-rate", "20"), "is not a rate"),
        (("Project", "scaffold_shop", "--items", "-1"), "--items"),
        (("Project", "scaffold_shop", "--size", "500000"), "--size"),
    ],
)
def test_wrong_input_is_an_error_that_changes_nothing(
    run: Run, app: str, folder: Path, arguments: tuple[str, ...], expected: str
) -> None:
    code, _, err = run("new", "entity", *arguments, "--yes")
    assert (code, expected in " ".join(err.split())) == (2, True), err
    assert _source(folder) == SHOP


# The edited modules are imported before they are written.
def test_key_that_another_entity_has_is_rejected_before_anything_is_written(
    run: Run, app: str, folder: Path
) -> None:
    taken = SHOP.replace('sk=("ORDER", padded(number, 4))', 'sk=("MEMO", padded(number, 4))')
    (folder / "scaffold_shop.py").write_text(taken)
    assert "could be the same key in table 'shop'" in run.rejected(
        "new", "entity", "Memo", app, "--owned-by", "User", "--yes"
    )
    assert _source(folder) == taken


def test_app_without_patterns_needs_a_catalog(run: Run, folder: Path) -> None:
    (folder / "scaffold_bare.py").write_text(SHOP[: SHOP.index("patterns =")])
    assert 'patterns = PatternCatalog("shop", shop)' in run.rejected(
        "new", "entity", "Project", "scaffold_bare", "--yes"
    )


# The table, the entities and the patterns are in modules of their own, with relative imports.
def test_modules_of_a_package_are_edited_where_they_declare(run: Run, folder: Path) -> None:
    package = folder / "src" / "scaffold_package"
    package.mkdir(parents=True)
    (folder / "tests").mkdir()
    tables, rest = SHOP.split("class User", 1)
    entities, patterns = f"class User{rest}".split("patterns =", 1)
    (package / "__init__.py").write_bytes(b'"""A package."""\r\n')
    (package / "tables.py").write_bytes(
        b"from singletable import Index, Table\r\n\r\n"
        + tables[tables.index("gsi1 =") :].strip().replace("\n", "\r\n").encode()
    )
    (package / "entities.py").write_text(
        f"{tables[: tables.index('gsi1 =')]}\nfrom . import tables\n"
        f"from .tables import gsi1, shop\n\n\n{entities}"
    )
    (package / "patterns.py").write_text(
        f"from singletable import PatternCatalog\n\nfrom .entities import Account, User\n"
        f"from .tables import shop\n\npatterns ={patterns}"
    )
    fields = ("--field", "a:int", "--field", "b:int", "--across", "a", "--across", "b")
    sys.path.insert(0, str(folder / "src"))
    code, out, err = run("new", "entity", "Plot", "scaffold_package", *fields, "--yes")
    assert code == 0, out + err
    index = b'gsi2 = Index("GSI2", pk=(Number("a"), Number("b")), sk="plot_id")\r\n'
    assert index in (package / "tables.py").read_bytes()
    assert b"import Index, Number, Table\r\n" in (package / "tables.py").read_bytes()
    assert "from .tables import gsi1, gsi2, shop\n" in (package / "entities.py").read_text()
    assert "from .entities import Account, Plot, User\n" in (package / "patterns.py").read_text()
    test = (folder / "tests/test_plot.py").read_text()
    assert "from scaffold_package.tables import shop\n" in test
