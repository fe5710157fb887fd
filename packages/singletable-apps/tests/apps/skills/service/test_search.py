"""Search by several skills: the same people as a brute-force search, whatever the plan."""

from __future__ import annotations

from datetime import date, timedelta
from math import fsum
from urllib.parse import parse_qs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singletable import Engine
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.skills import search_rules
from singletable_apps.skills.entities import (
    Level,
    Skill,
    SkillCount,
    User,
    UserSkill,
)
from singletable_apps.skills.patterns import patterns
from singletable_apps.skills.rules import derive_skill_id, score
from singletable_apps.skills.search_rules import (
    Access,
    Criterion,
    SearchQuery,
    Wanted,
    choices,
    parse_parameters,
    parse_rows,
    suggest_names,
)
from singletable_apps.skills.service import search as search_service
from tests.apps.skills.support.world import Filling, World

TODAY = date(2026, 1, 1)
SKILLS = ("Go", "Python", "Rust")
DAYS = [TODAY - timedelta(days=days) for days in (0, 400, 1000)]
ENTRIES = st.tuples(st.sampled_from(list(Level)), st.sampled_from((0, 2, 9)), st.sampled_from(DAYS))
PEOPLE = st.dictionaries(
    st.sampled_from([f"user{number}" for number in range(12)]),
    st.dictionaries(st.sampled_from(SKILLS), ENTRIES),
    max_size=12,
)
CRITERIA = st.builds(
    Criterion,
    st.sampled_from(SKILLS),
    st.sampled_from(list(Level)),
    st.sampled_from((0, 2, 5)),
    st.sampled_from((None, DAYS[1])),
)
QUERIES = st.builds(
    SearchQuery,
    st.lists(CRITERIA, min_size=1, max_size=3, unique_by=lambda one: one.skill).map(tuple),
    st.sampled_from(({}, {}, {"department": "research"})),
)


def stored(world: World) -> list[UserSkill]:
    return list(world.service.context.store.admin.scan(UserSkill))


def patterns_of(world: World) -> list[str]:
    """Return the codes of the access patterns that ran, in this order."""
    found = [patterns.recognize(call.shape) for call in world.calls]
    return [pattern.code for pattern in found if pattern is not None]


def search_everything(skills: list[UserSkill], query: SearchQuery) -> list[str]:
    """Return the usernames that a search must find, in order, by reading everything."""
    found: dict[str, float] = {}
    for username in {skill.username for skill in skills}:
        own = {skill.skill_id: skill for skill in skills if skill.username == username}
        matches = [
            own[derive_skill_id(one.skill)]
            for one in query.criteria
            if derive_skill_id(one.skill) in own and one.is_met(own[derive_skill_id(one.skill)])
        ]
        in_department = not query.filters or int(username.removeprefix("user")) % 2 == 0
        if len(matches) == len(query.criteria) and in_department:
            found[username] = fsum(score(match, TODAY).total for match in matches)
    return sorted(found, key=lambda name: (-found[name], name))


@settings(max_examples=settings().max_examples // 2)
@given(
    people=PEOPLE,
    queries=st.lists(QUERIES, min_size=3, max_size=5),
    counts=st.lists(st.integers(0, 999), min_size=3, max_size=3),
)
def test_search_finds_what_a_brute_force_search_finds(
    people: Filling, queries: list[SearchQuery], counts: list[int]
) -> None:
    with Engine.in_memory() as engine:
        world = World(engine)
        # Every skill exists, even if nobody has it.
        world.fill({**people, "nobody": dict.fromkeys(SKILLS, "Beginner")})
        store = world.service.context.store
        store.delete_many([UserSkill.key("nobody", derive_skill_id(each)) for each in SKILLS])
        for number in range(0, 12, 2):
            if f"user{number}" in people:
                store.update(User.key(f"user{number}"), User.department.set("Research"))
        skills = stored(world)
        for number, query in enumerate(queries):
            if number == 2:
                # Wrong counts make a worse plan, not another result.
                for name, count in zip(SKILLS, counts, strict=True):
                    store.put(SkillCount(skill_id=derive_skill_id(name), expert=count))
            matches = world.service.search.find(query).matches
            assert [match.username for match in matches] == search_everything(skills, query)
            for match in matches:
                assert match.total == pytest.approx(sum(each.total for each in match.scores))
                asked = [one.skill for one in query.criteria]
                assert [each.skill_name for each in match.skills] == asked


def test_rarest_skill_is_read_first_and_the_rest_by_key_or_index(memory: World) -> None:
    people = {f"user{number}": {"Python": "Expert"} for number in range(60)}
    people["user7"] = {"Python": "Advanced", "Rust": "Expert"}
    memory.fill(people)
    memory.calls.clear()
    result = memory.service.search.find(parse_rows([["python"], ["RUST", "expert"]]))
    assert [match.username for match in result.matches] == ["user7"]
    # The people with the rarer one are read from the index, and of these the other one by key.
    assert patterns_of(memory) == ["S1", "S2", "S4", "U1", "Q1"]
    read = [sent.scanned_count for call in memory.calls[-2:] for sent in call.requests]
    assert read == [1, 1]


def test_cheaper_way_is_chosen_from_the_counts() -> None:
    skill = Skill(skill_id="go", name="Go")
    count = SkillCount(skill_id="go", beginner=800, expert=80)

    def best(candidates: int | None, names: int = 1, **asked: object) -> Access:
        criterion = Criterion("Go", **asked)  # type: ignore[arg-type]
        wanted = Wanted(criterion, skill, ("Go", "Golang")[:names], count)
        return choices(wanted, candidates)[0].access

    assert best(None) is Access.LEVELS
    assert best(None, level=Level.EXPERT, years=8) is Access.YEARS
    # Two levels and two names are four queries, which cost as much as reading everyone.
    count = SkillCount(skill_id="go", beginner=800, expert=30)
    assert best(None, level=Level.ADVANCED, years=8) is Access.YEARS
    assert best(None, names=2, level=Level.ADVANCED, years=8) is Access.LEVELS
    assert best(103) is Access.ITEMS
    assert best(105) is Access.LEVELS


def test_people_are_found_under_both_names_during_a_rename(memory: World) -> None:
    memory.fill({"ada": {"Go": ("Expert", 9)}, "bob": {"Go": ("Expert", 9)}})
    store = memory.service.context.store
    store.update(Skill.key("go"), Skill.name.set("Golang"), Skill.previous_name.set("Go"))
    store.update(UserSkill.key("ada", "go"), UserSkill.skill_name.set("Golang"))
    store.update(SkillCount.key("go"), SkillCount.expert.set(80))
    memory.calls.clear()
    result = memory.service.search.find(parse_rows([["go", "Expert", "8"]]))
    assert "GSI2" in patterns_of(memory)
    assert [match.username for match in result.matches] == ["ada", "bob"]


def test_search_that_reads_too_much_is_rejected(
    memory: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.fill({f"user{number}": {"Go": "Expert", "Rust": "Expert"} for number in range(12)})
    for module in (search_rules, search_service):
        monkeypatch.setattr(module, "MAX_READ", 20)
    search = memory.service.search
    assert len(search.find(parse_rows([["go"]])).matches) == 12
    with pytest.raises(InvalidInput, match="at most 20 skills"):
        search.find(parse_rows([["go"], ["rust"]]))
    # The limit holds even if the counts are wrong.
    memory.service.context.store.put(SkillCount(skill_id="go"))
    for module in (search_rules, search_service):
        monkeypatch.setattr(module, "MAX_READ", 5)
    with pytest.raises(InvalidInput, match="at most 5 skills"):
        search.find(parse_rows([["go"]]))
    memory.calls.clear()


def test_unknown_skills_get_suggestions(memory: World) -> None:
    memory.fill({"ada": {"Python": "Expert", "PyTorch": "Expert", "Go": "Expert"}})
    with pytest.raises(InvalidInput) as rejected:
        memory.service.search.find(parse_rows([["go"], ["Pyhton"], ["Go"], ["🦀"]]))
    assert rejected.value.errors == {
        "skill/1": "There is no skill “Pyhton” in the catalog. Did you mean Python or PyTorch?",
        "skill/2": "You ask for Go twice.",
        "skill/3": "There is no skill “🦀” in the catalog.",
    }
    assert suggest_names("py", ["Python", "Go"]) == ["Python"]


BAD_ROWS: dict[str, tuple[list[list[str]], set[str]]] = {
    "nothing": ([], {"skill/0"}),
    "blank rows": ([["", "Expert"], [" "]], {"skill/0"}),
    "no skill": ([["Go"], ["", "", "5"]], {"skill/1"}),
    "level": ([["Go", "Master"]], {"level/0"}),
    "years": (
        [["Go", "", "-1"], ["C", "", "1e3"], ["D", "", "٣"]],
        {f"years/{n}" for n in range(3)},
    ),
    "day": ([["Go", "", "", "2024-02-30"]], {"since/0"}),
    "too many cells": ([["Go", "", "", "", ""]], {"skill/0"}),
    "too many": ([[f"skill{number}"] for number in range(9)], {"skill/8"}),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_invalid_rows_name_their_fields(name: str) -> None:
    rows, fields = BAD_ROWS[name]
    with pytest.raises(InvalidInput) as rejected:
        parse_rows(rows)
    assert fields <= {*rejected.value.errors}


@given(query=QUERIES)
def test_query_string_has_the_whole_query(query: SearchQuery) -> None:
    assert parse_parameters(parse_qs(query.encode(), keep_blank_values=True)) == query
