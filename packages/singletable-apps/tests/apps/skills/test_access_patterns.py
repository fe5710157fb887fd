"""AP1 to AP13 of the document and its query of GSI2, on every driver: keys, index and operation.

Expressions are shown with their names and values filled in. Differences to the document:

- Writes that change a count, or create a unique id, are one transaction with it. The action on the
  item of the document is the one it names.
- AP4 reads the whole user: a projection saves no read units.
- AP5 queries GSI1, where the document says "Scan (anti-pattern!)" and proposes nothing.
- AP12 has the rank of the level in its key: Advanced is less than Expert, but Intermediate is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Any

import pytest

from dynamodb_engine.operations import TransactWriteItems, UpdateItem
from singletable import BatchGetItem, BatchWriteItem, GetItem, Item, Query, Scan
from singletable.errors import ValidationError
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Level, SkillCount, entities
from singletable_apps.skills.patterns import patterns as catalog
from singletable_apps.skills.rules import SkillDraft
from singletable_apps.skills.search_rules import parse_rows
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.service.people import PersonEdit
from tests.apps.skills.support.world import PASSWORD, World

EXPERT = SkillDraft(Level.EXPERT, years=5)
DAY = date(2025, 6, 1)
PROFILE = "PK=USER#john SK=PROFILE"
GOLANG = "PK=USER#john SK=SKILL#golang"


def filled(expression: str | None, operation: Any) -> str:
    names: Mapping[str, str] = operation.expression_attribute_names or {}
    values: Mapping[str, dict[str, str]] = operation.expression_attribute_values or {}
    texts = {**names, **{key: next(iter(each.values())) for key, each in values.items()}}
    return re.sub(r"[#:]\w+", lambda match: texts[match.group()], expression or "")


def key_text(key: Item) -> str:
    return " ".join(f"{name}={key[name].get('S')}" for name in ("PK", "SK"))


def describe(operation: Any) -> Iterator[str]:
    """Yield what an operation does to the table of the document."""
    match operation:
        case GetItem():
            yield f"GetItem {key_text(operation.key)}"
        case UpdateItem():
            yield f"UpdateItem {key_text(operation.key)}"
        case Query():
            index = f" {operation.index_name}" if operation.index_name else ""
            yield f"Query{index} {filled(operation.key_condition_expression, operation)}"
        case TransactWriteItems():
            for each in operation.transact_items:
                if each.put is not None:
                    condition = filled(each.put.condition_expression, each.put)
                    yield f"Put {key_text(each.put.item)} if {condition}"
                for kind in ("update", "delete"):
                    action = getattr(each, kind)
                    if action is not None:
                        yield f"{kind.capitalize()} {key_text(action.key)}"
        case _:
            yield type(operation).__name__


def operations_of(world: World, action: Callable[[SkillsService], object]) -> list[str]:
    """Run an action and return its operations on the table of the document."""
    world.calls.clear()
    action(world.service)
    sent = [request.operation for call in world.calls for request in call.requests]
    assert not any(isinstance(each, Scan) for each in sent)
    return [
        text
        for each in sent
        if not isinstance(each, (BatchGetItem, BatchWriteItem))
        if getattr(each, "table_name", entities.name) == entities.name
        for text in describe(each)
    ]


@pytest.fixture
def filled_world(world: World) -> World:
    """Return a world with John, who knows Golang, and Ann, who does not."""
    world.fill({"john": {"golang": ("Expert", 7, DAY)}, "ann": {}, "eve": {"golang": "Beginner"}})
    return world


def search_for_experts(on: SkillsService, *years_and_day: str) -> list[str]:
    """Search for experts when there are so many that reading those with the years costs less."""
    with on.context.store.transaction(pattern=patterns.start_count) as transaction:
        transaction.upsert(SkillCount.key("golang"), SkillCount.expert.set(80))
    found = on.search.find(parse_rows([["golang", "Expert", *years_and_day]]))
    return [match.username for match in found.matches]


# The access patterns: what runs them, and the operation of the document among those that are sent.
DOCUMENT: dict[str, tuple[Callable[[SkillsService], object], str]] = {
    "AP1": (lambda on: on.accounts.sign_in("john", PASSWORD), f"GetItem {PROFILE}"),
    "AP2": (
        lambda on: on.accounts.register("zoe", "Zoe Park", PASSWORD),
        "Put PK=USER#zoe SK=PROFILE if attribute_not_exists(PK)",
    ),
    "AP3": (
        lambda on: on.people.edit(on.context.get_user("john"), "john", PersonEdit(title="Lead")),
        f"UpdateItem {PROFILE}",
    ),
    "AP4": (lambda on: on.context.find_user("john"), f"GetItem {PROFILE}"),
    "AP5": (
        lambda on: on.people.list(),
        "Query GSI1 GSI1PK = USERS AND begins_with(GSI1SK, USER#)",
    ),
    "AP6": (
        lambda on: on.user_skills.list("john"),
        "Query PK = USER#john AND begins_with(SK, SKILL#)",
    ),
    "AP7": (lambda on: on.user_skills.get("john", "golang"), f"GetItem {GOLANG}"),
    "AP8": (
        lambda on: on.user_skills.add(on.context.get_user("ann"), "ann", "golang", EXPERT),
        "Put PK=USER#ann SK=SKILL#golang if attribute_not_exists(PK)",
    ),
    "AP9": (
        lambda on: on.user_skills.edit(on.context.get_user("john"), "john", "golang", EXPERT),
        f"Update {GOLANG}",
    ),
    "AP10": (
        lambda on: on.user_skills.remove(on.context.get_user("john"), "john", "golang"),
        f"Delete {GOLANG}",
    ),
    "AP11": (
        lambda on: on.user_skills.list_people("golang"),
        "Query GSI1 GSI1PK = SKILL#golang AND begins_with(GSI1SK, LEVEL#)",
    ),
    "AP12": (
        lambda on: on.user_skills.list_people("golang", Level.EXPERT),
        "Query GSI1 GSI1PK = SKILL#golang AND begins_with(GSI1SK, LEVEL#3#USER#)",
    ),
    "AP13": (lambda on: on.user_skills.profile("john"), "Query PK = USER#john"),
    "GSI2": (
        lambda on: search_for_experts(on, "5"),
        "Query GSI2 SkillName = golang AND ProficiencyLevel = Expert AND YearsOfExperience >= 5",
    ),
}


def test_every_pattern_of_the_document_is_declared() -> None:
    codes = [code for code in catalog.patterns if re.fullmatch(r"AP\d+|GSI2", code)]
    assert codes == list(DOCUMENT)


@pytest.mark.parametrize("code", DOCUMENT)
def test_pattern_runs_as_the_document_says(filled_world: World, code: str) -> None:
    action, expected = DOCUMENT[code]
    assert expected in operations_of(filled_world, action)


def test_results_are_those_of_the_document(filled_world: World) -> None:
    on = filled_world.service
    assert [row.username for row in on.people.list().items] == ["ann", "eve", "john"]
    profile = on.user_skills.profile("john")
    assert (profile.user.name, [each.skill_id for each in profile.skills]) == ("John", ["golang"])

    def names(level: Level | None) -> list[str]:
        return [each.username for each in on.user_skills.list_people("golang", level).items]

    assert names(None) == ["john", "eve"]
    assert names(Level.EXPERT) == ["john"]
    assert search_for_experts(on, "7") == ["john"]
    assert search_for_experts(on, "8") == []
    assert search_for_experts(on, "5", "2025-07-01") == []


def test_user_with_skills_is_one_request(filled_world: World) -> None:
    filled_world.calls.clear()
    filled_world.service.user_skills.profile("john")
    [call] = filled_world.calls
    assert catalog.recognize(call.shape) is patterns.user_with_skills
    assert [type(each.operation) for each in call.requests] == [Query]


def query_gsi2(world: World, years: str, *, day: str = "", where: str | None = None) -> list[Item]:
    """Query GSI2 without the store: people who are experts, with conditions on years and day."""
    values: Item = {":skill": {"S": "golang"}, ":level": {"S": "Expert"}, ":years": {"N": "7"}}
    if day or where:
        values[":day"] = {"S": "2024-01-01"}
    query = Query(
        entities.name,
        index_name="GSI2",
        key_condition_expression=" AND ".join(
            filter(None, ("SkillName = :skill AND ProficiencyLevel = :level", years, day))
        ),
        filter_expression=where,
        expression_attribute_values=values,
    )
    return world.driver.execute(query).items or []


# The document's example has two ranges, which its own list of limitations forbids.
def test_two_ranges_of_gsi2_are_rejected(filled_world: World) -> None:
    with pytest.raises(ValidationError):
        query_gsi2(filled_world, "YearsOfExperience >= :years", day="LastUsedDate >= :day")


# A range may come last, after equality on all attributes before it.
def test_range_after_equal_years_is_accepted(filled_world: World) -> None:
    [item] = query_gsi2(filled_world, "YearsOfExperience = :years", day="LastUsedDate >= :day")
    assert item["Username"] == {"S": "john"}


# So a search leaves out people by the day after reading.
def test_filter_on_a_key_attribute_of_gsi2_is_rejected(filled_world: World) -> None:
    with pytest.raises(ValidationError, match="LastUsedDate"):
        query_gsi2(filled_world, "YearsOfExperience >= :years", where="LastUsedDate >= :day")


def test_stored_items_have_the_attributes_of_the_document(filled_world: World) -> None:
    def stored(sort_key: str) -> Item:
        key: Item = {"PK": {"S": "USER#john"}, "SK": {"S": sort_key}}
        item = filled_world.driver.execute(GetItem(entities.name, key)).item
        assert item is not None
        return item

    user, skill = stored("PROFILE"), stored("SKILL#golang")
    assert {"Username", "Name", "PasswordHash", "CreatedAt", "UpdatedAt"} <= {*user}
    assert (user["EntityType"], user["GSI1PK"], user["GSI1SK"]) == (
        {"S": "User"},
        {"S": "USERS"},
        {"S": "USER#john#john"},
    )
    times = {name: skill[name] for name in ("CreatedAt", "UpdatedAt")}
    assert skill == times | {
        "PK": {"S": "USER#john"},
        "SK": {"S": "SKILL#golang"},
        "EntityType": {"S": "UserSkill"},
        "Username": {"S": "john"},
        "SkillName": {"S": "golang"},
        "ProficiencyLevel": {"S": "Expert"},
        "YearsOfExperience": {"N": "7"},
        "Endorsements": {"N": "0"},
        "LastUsedDate": {"S": "2025-06-01"},
        "GSI1PK": {"S": "SKILL#golang"},
        "GSI1SK": {"S": "LEVEL#3#USER#john"},
        # Not in the document: the id in the keys, notes, and where the level comes from.
        "SkillId": {"S": "golang"},
        "Notes": {"S": ""},
        "Source": {"S": "self"},
        "RatedBy": {"S": ""},
        "Revision": {"N": "1"},
    }
