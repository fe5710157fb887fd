"""The organization's own levels and categories."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.skills.entities import Level, Role
from singletable_apps.skills.overview_rules import describe_cell
from singletable_apps.skills.rules import DEFAULT_CATEGORIES, match_categories
from singletable_apps.skills.service.catalog import SkillEdit
from singletable_apps.skills.service.overview import MatrixQuery
from tests.apps.skills.support.world import World

LEVELS = ("Learns: Needs help.", "Can", "Good: Helps others.", "Master: Leads.")


@pytest.fixture
def named(memory: World) -> World:
    """Return a directory with other levels, in which DevOps is Operations, and People is new."""
    memory.fill(
        {"ada": {"Go": "Expert"}, "bob": {"Docker": "Beginner"}},
        roles={"ada": Role.ADMIN},
        categories={"Docker": "DevOps"},
    )
    categories = ["Operations" if each == "DevOps" else each for each in DEFAULT_CATEGORIES]
    memory.service.people.edit_settings(
        memory.user("ada"), "Fernhill", levels=LEVELS, categories=[*categories, "People"]
    )
    return memory


def test_levels_have_the_names_of_the_organization_everywhere(named: World) -> None:
    service, ada = named.service, named.user("ada")
    words = service.context.words()
    assert [*words.levels.values()] == ["Learns", "Can", "Good", "Master"]
    assert words.hints[Level.ADVANCED] == "Helps others."
    matrix = service.overview.matrix(MatrixQuery())
    assert describe_cell(matrix.cells["ada"]["go"], words.levels).startswith("Master, 0 years")
    _, rows = service.overview.export(ada)
    assert [row[10] for row in rows] == ["Master", "Learns"]
    staged = service.imports.upload(ada, "a.csv", b"Username,Go,Docker\nada,good,2\nbob,Expert,5\n")
    results = {
        (each.username, each.skill): each
        for each in service.imports.preview(staged.import_id).results
    }
    assert results["ada", "Docker"].text == "Can"
    assert results["ada", "Go"].text == "stays Master"
    assert (
        results["bob", "Docker"].text == "Enter Learns, Can, Good, Master, or a number from 1 to 4."
    )


def test_skills_follow_a_category_that_is_renamed(named: World) -> None:
    service, ada = named.service, named.user("ada")
    assert service.catalog.get("Docker").category == "Operations"
    assert service.catalog.create(ada, SkillEdit("Chess")).category == "People"
    assert service.catalog.create(ada, SkillEdit("Rust", category="Data")).category == "Data"
    with pytest.raises(InvalidInput, match="Use one of Programming, Cloud, Operations"):
        service.catalog.create(ada, SkillEdit("Zig", category="DevOps"))


def test_a_category_with_skills_stays(named: World) -> None:
    ada, people = named.user("ada"), named.service.people
    with pytest.raises(InvalidInput, match="Docker is in Operations"):
        people.edit_settings(ada, "Fernhill", categories=["Programming"])
    people.edit_settings(ada, "Fernhill", categories=["Operations", "Programming"])
    assert named.service.context.words().categories == ["Operations", "Programming"]
    assert named.service.catalog.get("Docker").category == "Operations"


@pytest.mark.parametrize(
    ("before", "after", "moves"),
    [
        ("a b c", "a x c", {"b": "x"}),
        ("a b c", "c b a", {}),
        ("a b c", "a c", {"b": ""}),
        ("a b c", "x a b c", {}),
        ("a b c", "a b", {"c": ""}),
        ("a b c", "x a y", {"b": "", "c": "y"}),
    ],
)
def test_categories_are_matched_by_name_then_by_place(
    before: str, after: str, moves: dict[str, str]
) -> None:
    assert match_categories(before.split(), after.split()) == moves


@pytest.mark.parametrize(
    ("field", "lines"),
    [
        ("levels", LEVELS[:3]),
        ("levels", (*LEVELS[:3], "can: Again.")),
        ("levels", (*LEVELS[:3], ": No name.")),
        ("levels", (*LEVELS[:3], "x" * 41)),
        ("categories", ()),
        ("categories", ("Data", "data")),
        ("categories", tuple(map(str, range(41)))),
    ],
)
def test_words_that_are_not_accepted(named: World, field: str, lines: Sequence[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        named.service.people.edit_settings(named.user("ada"), "Fernhill", **{field: lines})  # type: ignore[arg-type]
    assert [*caught.value.errors] == [field]
