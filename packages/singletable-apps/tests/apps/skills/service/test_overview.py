"""The matrix, the gap report, and the export of everything."""

from __future__ import annotations

import pytest

from singletable_apps.shared.errors import InvalidInput, NotFound
from singletable_apps.skills.entities import JobRole, Level, Role, Team, User
from singletable_apps.skills.overview_rules import CoverageState, TargetResult
from singletable_apps.skills.rules import Reach
from singletable_apps.skills.service.overview import Matrix, MatrixQuery, PeopleFilter
from tests.apps.skills.support.world import World

CATEGORIES = {"AWS": "Cloud", "Docker": "DevOps"}


def fill(world: World) -> None:
    """Store five people: two backend engineers, a designer, and two without a job."""
    world.fill(
        {
            "ada": {"Go": ("Expert", 9), "AWS": "Beginner", "Docker": "Advanced"},
            "bob": {"Go": "Beginner"},
            "cleo": {"Go": ("Expert", 2), "AWS": "Advanced"},
            "mia": {},
            "zoe": {"Docker": "Intermediate"},
        },
        roles={"mia": Role.MANAGER},
        categories=CATEGORIES,
    )
    store = world.service.context.store
    targets = {"go": Level.ADVANCED, "aws": Level.ADVANCED, "gone": Level.EXPERT}
    store.create(JobRole(role_id="backend", name="Backend engineer", targets=targets))
    for username, job in {"ada": "backend", "bob": "backend", "zoe": "design"}.items():
        department = "Platform" if job == "backend" else "Design"
        world.service.context.store.update(
            User.key(username), User.department.set(department), User.job_role.set(job)
        )
    store.create(
        Team(team_id="t1", name="Launch", members=["zoe", "cleo", "deleted"], created_by="mia")
    )
    world.calls.clear()


@pytest.fixture
def company(memory: World) -> World:
    fill(memory)
    return memory


def shown(matrix: Matrix) -> dict[str, dict[str, Level]]:
    """Return the levels by username and skill, in the order of the matrix."""
    return {
        person.username: {
            skill.skill_id: matrix.cells[person.username][skill.skill_id].level
            for skill in matrix.skills
            if skill.skill_id in matrix.cells[person.username]
        }
        for person in matrix.people
    }


def test_matrix_shows_everyone_with_levels(company: World) -> None:
    matrix = company.service.overview.matrix(MatrixQuery())
    assert [skill.name for skill in matrix.skills] == ["AWS", "Docker", "Go"]
    assert shown(matrix) == {
        "ada": {"aws": Level.BEGINNER, "docker": Level.ADVANCED, "go": Level.EXPERT},
        "bob": {"go": Level.BEGINNER},
        "cleo": {"aws": Level.ADVANCED, "go": Level.EXPERT},
        "mia": {},
        "zoe": {"docker": Level.INTERMEDIATE},
    }


@pytest.mark.parametrize(
    ("people", "usernames"),
    [
        (PeopleFilter(name=" C"), ["cleo"]),
        (PeopleFilter(name="CLe"), ["cleo"]),
        (PeopleFilter(name="nobody"), []),
        (PeopleFilter(department="Platform"), ["ada", "bob"]),
        (PeopleFilter(name="b", department="Platform", job="backend"), ["bob"]),
        (PeopleFilter(team="t1"), ["cleo", "zoe"]),
        (PeopleFilter(team="t1", department="Design"), ["zoe"]),
    ],
)
def test_matrix_filters_people(company: World, people: PeopleFilter, usernames: list[str]) -> None:
    query = MatrixQuery(people, skills="Cloud")
    matrix = company.service.overview.matrix(query)
    assert [person.username for person in matrix.people] == usernames


def test_matrix_shows_the_skills_of_a_category_or_a_job(company: World) -> None:
    overview = company.service.overview

    def skills(query: MatrixQuery) -> list[str]:
        return [skill.skill_id for skill in overview.matrix(query).skills]

    assert skills(MatrixQuery(skills="DevOps")) == ["docker"]
    assert skills(MatrixQuery(skills="backend")) == ["aws", "go"]
    assert skills(MatrixQuery(PeopleFilter(job="backend"))) == ["aws", "go"]
    assert skills(MatrixQuery(PeopleFilter(job="backend"), skills="Cloud")) == ["aws"]


def test_matrix_sorts_by_level_then_years(company: World) -> None:
    matrix = company.service.overview.matrix(MatrixQuery(sort="go"))
    assert [person.username for person in matrix.people] == ["ada", "cleo", "bob", "mia", "zoe"]


def test_matrix_shows_the_most_common_skills_and_pages_of_people(memory: World) -> None:
    people = {f"p{at:03}": {"Go": "Expert", f"Skill {at}": "Expert"} for at in range(70)}
    memory.fill(people)
    overview = memory.service.overview
    first = overview.matrix(MatrixQuery())
    assert (len(first.people), len(first.skills)) == (50, 60)
    assert "go" in {skill.skill_id for skill in first.skills}
    second = overview.matrix(MatrixQuery(cursor=first.cursor))
    assert [person.username for person in second.people] == [*people][50:]
    assert second.cursor is None


def test_matrix_reads_the_smaller_side(memory: World) -> None:
    memory.fill({f"p{number:03}": {"Go": "Expert", "Vue": "Expert"} for number in range(30)})
    overview = memory.service.overview
    for query, requests in [(MatrixQuery(), 2), (MatrixQuery(PeopleFilter(name="P029")), 1)]:
        memory.calls.clear()
        matrix = overview.matrix(query)
        assert all(len(matrix.cells[person.username]) == 2 for person in matrix.people)
        queries = [call for call in memory.calls if "UserSkill" in str(call.shape)]
        assert len(queries) == requests


def test_first_rows_of_a_matrix_need_no_more_reads(company: World) -> None:
    def reads() -> int:
        return sum("UserSkill" in str(call.shape) for call in company.calls)

    matrix = company.service.overview.matrix(MatrixQuery(PeopleFilter(department="Platform")))
    assert reads() == 0
    assert matrix.cells["ada"]
    assert reads() == 1


def test_matrix_of_unknown_choices_is_rejected(company: World) -> None:
    overview = company.service.overview
    for people in (PeopleFilter(team="none"), PeopleFilter(team="#"), PeopleFilter(job="none")):
        with pytest.raises(NotFound):
            overview.matrix(MatrixQuery(people))
    for query in (
        MatrixQuery(size=7),
        MatrixQuery(sort="rust"),
        MatrixQuery(PeopleFilter(name="x" * 101)),
        MatrixQuery(PeopleFilter(department="a\x00b")),
    ):
        with pytest.raises(InvalidInput):
            overview.matrix(query)


def test_coverage_names_single_points_of_failure(company: World) -> None:
    report = company.service.overview.gaps(Reach(None), PeopleFilter(), Level.ADVANCED, 2)
    found = {
        each.skill.skill_id: (each.state, [person.username for person in each.people])
        for each in report.coverage
    }
    assert found == {
        "aws": (CoverageState.THIN, ["cleo"]),
        "docker": (CoverageState.THIN, ["ada"]),
        "go": (CoverageState.COVERED, ["ada", "cleo"]),
    }
    [go] = [each for each in report.coverage if each.skill.skill_id == "go"]
    assert go.levels == (1, 0, 0, 2)
    experts = company.service.overview.gaps(Reach(None), PeopleFilter(), Level.EXPERT, 1)
    assert [each.state for each in experts.coverage] == ["nobody", "nobody", "covered"]


def test_coverage_of_a_department_omits_skills_it_neither_has_nor_needs(company: World) -> None:
    report = company.service.overview.gaps(
        Reach(None), PeopleFilter(department="Design"), Level.BEGINNER, 1
    )
    assert [each.skill.skill_id for each in report.coverage] == ["docker"]


def test_targets_compare_people_with_their_jobs(company: World) -> None:
    report = company.service.overview.gaps(Reach(None), PeopleFilter(), Level.ADVANCED, 2)
    found = {
        (each.person.username, each.skill.skill_id): (each.result, each.severity)
        for each in report.targets
    }
    # Jobs that were deleted, and targets of skills that were, are left out.
    assert found == {
        ("ada", "go"): (TargetResult.EXCEEDS, ""),
        ("ada", "aws"): (TargetResult.BELOW, "serious"),
        ("bob", "go"): (TargetResult.BELOW, "serious"),
        ("bob", "aws"): (TargetResult.BELOW, "critical"),
    }


@pytest.mark.parametrize("enough", [0, -1, 101])
def test_gaps_for_an_impossible_number_are_rejected(company: World, enough: int) -> None:
    with pytest.raises(InvalidInput):
        company.service.overview.gaps(Reach(None), PeopleFilter(), Level.ADVANCED, enough)


def test_export_has_a_row_per_skill(company: World) -> None:
    overview = company.service.overview
    columns, rows = overview.export(company.user("mia"))
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    assert [(row["username"], row["skill"]) for row in found] == [
        ("ada", "AWS"),
        ("ada", "Docker"),
        ("ada", "Go"),
        ("bob", "Go"),
        ("cleo", "AWS"),
        ("cleo", "Go"),
        ("mia", ""),
        ("zoe", "Docker"),
    ]
    assert (found[0]["category"], found[0]["job"]) == ("Cloud", "backend")


def test_departments_are_listed_once_a_minute(company: World) -> None:
    overview, context = company.service.overview, company.service.context
    assert overview.departments() == ["Design", "Platform"]
    context.store.update(User.key("mia"), User.department.set("Board"))
    assert overview.departments() == ["Design", "Platform"]
    company.clock.advance(minutes=2)
    assert overview.departments() == ["Board", "Design", "Platform"]
    company.calls.clear()


def test_nearest_people_miss_the_fewest_levels_of_a_job(memory: World) -> None:
    fill(memory)
    overview, store = memory.service.overview, memory.service.context.store
    zoe = store.update(User.key("zoe"), User.role.set(Role.ADMIN))
    role, found = overview.nearest(zoe, "backend")
    assert role.name == "Backend engineer"
    # Cleo is above a target, and people without any of the skills are left out.
    assert [(each.person.username, each.missing, each.needed) for each in found] == [
        ("cleo", 0, 6),
        ("ada", 2, 6),
        ("bob", 5, 6),
    ]
    assert [(gap.skill.name, gap.level) for gap in found[1].gaps] == [("AWS", Level.BEGINNER)]
    [own] = overview.nearest(memory.user("bob"), "backend")[1]
    assert own.person.username == "bob"
    for unknown in ("nothing", "🦀" * 1000):
        with pytest.raises(NotFound):
            overview.nearest(zoe, unknown)
