"""`singletable introspect` and `singletable workbench` turn tables and models into Python."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import copy

import pytest

from singletable import Table, connect
from singletable.cli import main
from singletable_design.introspection import read_sample
from tests.cli.run import Run
from tests.workbench.models import PAYMENTS


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file with the tables of the tour."""
    file = tmp_path_factory.mktemp("tour") / "tour.db"
    with pytest.raises(SystemExit):
        main(["tour", "--file", str(file)])
    return file


@pytest.fixture(autouse=True)
def tour_folder(folder: Path, wide_terminal: None, tour: Path) -> None:
    """Run in a folder with the file of the tour."""
    copy(tour, folder)


def tables_in(source: str) -> dict[str, list[str]]:
    """Execute the source and return the entity names of each table it declares."""
    names: dict[str, object] = {"__name__": "generated source"}
    exec(compile(source, "generated source", "exec", dont_inherit=True), names)
    return {
        value.name: sorted(entity.__name__ for entity in value.entities)
        for value in names.values()
        if isinstance(value, Table)
    }


# The tour has the tables of the five apps.
@pytest.mark.parametrize(
    ("table", "entities"),
    [
        ("vote_data", "Ballot Candidate Election Sync User"),
        ("vote_event_log", "Event"),
        ("ranked-choice-polls", "Line Poll Poll2 Vote"),
        ("DataTable", "Blog Comment Portfolio"),
        ("glad-entities", "Rating SkillCount User UserSkill"),
        ("engagements-dev-table", "Answer GameState"),
    ],
)
def test_tables_of_the_tour_are_introspected(run: Run, table: str, entities: str) -> None:
    code, out, err = run("introspect", "file:tour.db", table)
    assert code == 0
    assert tables_in(out) == {table: entities.split()}
    assert "UNMATCHED" not in out
    for entity in entities.split():
        assert entity in err


def test_all_tables_of_an_address_are_introspected_together(run: Run) -> None:
    code, out, _ = run("introspect", "file:tour.db")
    assert code == 0
    assert len(tables_in(out)) == 6


def test_sample_size_is_respected_and_reported(run: Run) -> None:
    _, out, _ = run("introspect", "file:tour.db", "vote_data", "--sample-size", "5")
    assert "# Only 5 items of 'vote_data' were read; there are more." in out
    with connect("file:tour.db") as driver:
        seen: list[int] = []
        sample = read_sample(driver, "vote_data", 9, seen.append)
    assert seen[-1] == len(sample.items) == 9


def test_output_is_written_to_a_new_file_only(run: Run, tmp_path: Path) -> None:
    first = run("introspect", "file:tour.db", "vote_data", "-o", "entities.py")
    assert first[0] == 0
    written = (tmp_path / "entities.py").read_text()
    assert "already exists" in run.rejected(
        "introspect", "file:tour.db", "vote_data", "-o", "entities.py"
    )
    assert (tmp_path / "entities.py").read_text() == written
    # The generated source can be exported as a model.
    code, out, _ = run("workbench", "export", "entities")
    assert code == 0
    assert json.loads(out)["DataModel"][0]["TableName"] == "vote_data"


def test_workbench_export_lists_patterns(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shop_with_patterns.py").write_text(
        """
from singletable import Attr, PatternCatalog, Entity, Key, Table, attr

shop = Table("shop")

class Order(Entity, table=shop):
    number: Attr[str] = attr()
    key = Key(pk=("ORDER", number), sk="ORDER")

catalog = PatternCatalog("shop", shop)
order = catalog.read("AP1", "An order by its number", Order.key)
"""
    )
    code, out, _ = run("workbench", "export", "shop_with_patterns", "--model-name", "Shop")
    assert code == 0
    model = json.loads(out)
    assert model["ModelName"] == "Shop"
    assert "* AP1: An order by its number" in model["ModelMetadata"]["Description"]


def test_workbench_model_is_imported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps(PAYMENTS))
    code, out, err = run("workbench", "import", "model.json")
    assert code == 0
    assert tables_in(out) == {"RecurringPayments": ["Receipts", "Subscription"]}
    assert "SUB#{sub_id}#SKU#{sku}" in err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("introspect memory:", "There are no tables at this address"),
        (
            "introspect file:tour.db nothing",
            "There is no table 'nothing' at this address. Existing",
        ),
        ("introspect nowhere:", "Unknown kind of address"),
        ("introspect file:tour.db vote_data -o nowhere/x.py", "cannot be written"),
        ("workbench import nothing.json", "'nothing.json' cannot be read"),
        ("workbench import tour.db", "not JSON"),
        ("workbench export nothing_like_it", "There is no module nothing_like_it"),
    ],
)
def test_errors_are_reported_without_traceback(run: Run, command: str, message: str) -> None:
    assert message in run.rejected(*command.split())
