"""The matrix of people and skills, the gap report, and the export of everything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from singletable_apps.shared.accounts.people import MAX_READ
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import overview_rules, patterns
from singletable_apps.skills.entities import JobRole, Level, Team, User, UserSkill
from singletable_apps.skills.rules import MAX_NAME, Reach, SkillName, is_key, people_at
from singletable_apps.skills.service.catalog import Part
from singletable_apps.skills.service.context import Context
from singletable_apps.skills.service.people import People
from singletable_apps.skills.service.roles import Roles
from singletable_apps.skills.service.teams import Teams

PAGE_SIZES = (50, 100, 200)
MAX_COLUMNS = 60
MAX_ENOUGH = 100
# How many of the nearest people are found.
MAX_NEAREST = 100
_DEPARTMENTS_FOR = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class PeopleFilter:
    """The people to show: of a team, with a department, a job, or words in the name."""

    name: str = ""
    department: str = ""
    job: str = ""
    team: str = ""

    def check(self) -> PeopleFilter:
        """Return the filter without surrounding space, or raise InvalidInput."""
        checks = InputChecks()
        name = checks.line("q", self.name, longest=MAX_NAME)
        department = checks.line("department", self.department, longest=MAX_NAME)
        checks.raise_errors()
        return PeopleFilter(name, department, self.job.strip(), self.team.strip())


@dataclass(frozen=True, slots=True)
class MatrixQuery:
    """What the matrix shows.

    `skills` is a category, the id of a job, or empty: the skills of the job that is filtered by,
    or the most common ones. `sort` is the id of a skill, or empty for names.
    """

    people: PeopleFilter = PeopleFilter()
    skills: str = ""
    sort: str = ""
    size: int = PAGE_SIZES[0]
    cursor: str | None = None


class LazyCells(dict[str, dict[str, UserSkill]]):
    """The skills of people, which `read` reads when those of one are asked for first."""

    def __init__(self, read: Callable[[str], Mapping[str, dict[str, UserSkill]]]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, username: str) -> dict[str, UserSkill]:
        """Read the skills of a person, and perhaps of others."""
        self.update(self._read(username))
        return self[username]


@dataclass(frozen=True, slots=True)
class Matrix:
    """People, skills, and the levels of the people in them."""

    people: Sequence[overview_rules.Colleague]
    skills: Sequence[SkillName]
    cells: overview_rules.Cells
    cursor: str | None
    team: Team | None


@dataclass(frozen=True, slots=True)
class GapReport:
    """The coverage of skills, the thinnest first, and everyone's levels beside the targets."""

    people: Sequence[overview_rules.Colleague]
    coverage: Sequence[overview_rules.Coverage]
    targets: Sequence[overview_rules.TargetCheck]
    team: Team | None


class Overview(Part):
    """Reads many people and skills at once."""

    def __init__(self, context: Context, people: People) -> None:
        super().__init__(context)
        self._people = people
        self._departments: tuple[datetime, list[str]] | None = None

    def matrix(self, query: MatrixQuery, reach: Reach | None = None) -> Matrix:
        """Return a page of people with their levels in up to 60 skills, or all within reach."""
        if query.size not in PAGE_SIZES:
            raise InvalidInput({"size": "Show 50, 100 or 200 people."})
        page = (query.size, query.cursor) if reach is None else (None, None)
        people, cursor, team = self._find_people(query.people.check(), *page)
        if reach is not None:
            people = [each for each in people if each.username in reach]
        skills = self._columns(query.skills or query.people.job)
        cells = self._cells(people, skills)
        if query.sort:
            if query.sort not in {each.skill_id for each in skills}:
                raise InvalidInput({"sort": "Sort by a skill that is shown."})
            people = overview_rules.sort_by_skill(people, cells, query.sort)
        return Matrix(people, skills, cells, cursor, team)

    def gaps(
        self, reach: Reach, people: PeopleFilter, level: Level, enough: int, all_people: bool = True
    ) -> GapReport:
        """Return which skills fewer than `enough` people have at a level, and targets not met.

        For everyone, all skills of the catalog count; otherwise those that someone has, or needs.
        Targets are those of people within reach; so is the coverage unless `all_people` count.
        """
        if not 1 <= enough <= MAX_ENOUGH:
            raise InvalidInput({"enough": f"Enter a number between 1 and {MAX_ENOUGH}."})
        rows, _, team = self._find_people(people.check(), None, None)
        if not all_people:
            rows = [row for row in rows if row.username in reach]
        jobs = self.jobs({row.job_role for row in rows})
        catalog = {each.skill_id: each for each in self._catalog.list_names()}
        cells = self._cells(rows, list(catalog.values()))
        relevant = set(catalog)
        if people != PeopleFilter():
            relevant = {skill_id for row in rows for skill_id in cells[row.username.casefold()]}
            relevant.update(skill_id for job in jobs.values() for skill_id in job.targets)
        skills = [skill for skill_id, skill in catalog.items() if skill_id in relevant]
        return GapReport(
            rows,
            overview_rules.find_coverage(rows, skills, cells, level, enough),
            overview_rules.check_targets(
                [row for row in rows if row.username in reach], jobs, catalog, cells
            ),
            team,
        )

    def nearest(
        self, actor: User, role_id: str
    ) -> tuple[JobRole, Sequence[overview_rules.Nearness]]:
        """Return a job, and the people within reach, the fewest missing levels first."""
        role, reach = Roles(self._context).get(role_id), self._context.reach(actor)
        names = self._catalog.list_names()
        skills = {each.skill_id: each for each in names if each.skill_id in role.targets}
        rows, _, _ = self._find_people(PeopleFilter(), None, None)
        people = [row for row in rows if row.username in reach]
        cells = self._cells(people, [*skills.values()])
        return role, overview_rules.find_nearest(people, role, skills, cells)[:MAX_NEAREST]

    def export(self, actor: User) -> overview_rules.DataTable:
        """Return a table with a row per skill of a person within reach, read while it is iterated.

        People without skills have one row.
        """
        return overview_rules.EXPORT_COLUMNS, self._export(self._context.reach(actor))

    def _export(self, reach: Reach) -> Iterator[overview_rules.DataRow]:
        names = self._context.words().levels
        categories = {each.skill_id: each.category for each in self._catalog.list_names()}
        for (username,) in self._store.select(patterns.all_users(), User.username):
            user = self._context.find_user(username) if username in reach else None
            # The index may still contain someone who was deleted just now.
            if user is None:
                continue
            person = (user.username, user.name, user.email, user.title, user.department)
            skills = list(self._store.run(patterns.skills_of_user, username))
            for skill in skills:
                yield (
                    *(*person, user.location, user.job_role, skill.skill_id, skill.skill_name),
                    *(categories.get(skill.skill_id, ""), names[skill.level], skill.years),
                    *(skill.last_used, skill.endorsements, skill.notes, skill.source),
                    skill.rated_by,
                )
            if not skills:
                yield (*person, user.location, user.job_role, *[""] * 10)

    def departments(self) -> list[str]:
        """Return the departments that people are in; up to a minute old."""
        now = self._context.clock()
        if self._departments is None or self._departments[0] < now - _DEPARTMENTS_FOR:
            rows = self._store.select(patterns.all_users(), User.department)
            self._departments = now, sorted({name for (name,) in rows if name}, key=str.casefold)
        return self._departments[1]

    def job_names(self) -> dict[str, str]:
        """Return the names of all jobs by id."""
        return dict(self._store.select(patterns.all_roles(), JobRole.role_id, JobRole.name))

    def jobs(self, role_ids: set[str]) -> dict[str, JobRole]:
        """Return jobs by id. Those that do not exist are left out."""
        keys = [JobRole.key(each) for each in sorted(role_ids) if is_key(each)]
        return {job.role_id: job for job in self._store.get_many(keys) if job is not None}

    def _find_people(
        self, wanted: PeopleFilter, size: int | None, cursor: str | None
    ) -> tuple[list[overview_rules.Colleague], str | None, Team | None]:
        """Return people by name and the cursor of the next page. Without a size, return all."""
        if wanted.team:
            return self._members(wanted)
        rows: list[overview_rules.Colleague] = []
        while True:
            page = self._people.list(
                wanted.name,
                department=wanted.department,
                job_role=wanted.job,
                limit=size or MAX_READ,
                cursor=cursor,
            )
            rows += page.items
            cursor = page.cursor
            if size is not None or cursor is None:
                return rows, cursor, None

    def _members(self, wanted: PeopleFilter) -> tuple[list[overview_rules.Colleague], None, Team]:
        team = Teams(self._context).get(wanted.team)
        words = wanted.name.casefold().split()
        rows = [
            overview_rules.Colleague.of(user)
            for user in self._context.get_users(team.members).values()
            if wanted.department in ("", user.department)
            and wanted.job in ("", user.job_role)
            and all(word in user.name.casefold() for word in words)
        ]
        return sorted(rows, key=lambda row: row.name.casefold()), None, team

    def _columns(self, wanted: str) -> list[SkillName]:
        """Return the skills of a category or a job, or else the most common ones."""
        names = self._catalog.list_names()
        if wanted in self._context.words().categories:
            names = [each for each in names if each.category == wanted]
        elif wanted:
            targets = Roles(self._context).get(wanted).targets
            names = [each for each in names if each.skill_id in targets]
        if len(names) <= MAX_COLUMNS:
            return names
        counts = self._catalog.counts(each.skill_id for each in names)
        common = sorted(names, key=lambda each: -people_at(counts[each.skill_id]))
        kept = {each.skill_id for each in common[:MAX_COLUMNS]}
        return [each for each in names if each.skill_id in kept]

    def _cells(
        self, people: Sequence[overview_rules.Colleague], skills: Sequence[SkillName]
    ) -> overview_rules.Cells:
        """Return the skills of people, read by person or by skill, whichever costs less."""
        ids = [each.skill_id for each in skills]
        if len(people) > len(ids):
            counts = self._catalog.counts(ids)
            holders = [people_at(counts[each]) for each in ids]
            ids = [each for each, count in zip(ids, holders, strict=True) if count]
            if not overview_rules.is_cheaper_by_person(len(people), holders):
                return LazyCells(lambda _: self._read_by_skill(people, ids))
        wanted = {*ids}
        return LazyCells(lambda username: {username: self._read_person(username, wanted)})

    def _read_person(self, username: str, wanted: set[str]) -> dict[str, UserSkill]:
        skills = self._store.run(patterns.skills_of_user, username)
        return {each.skill_id: each for each in skills if each.skill_id in wanted}

    def _read_by_skill(
        self, people: Sequence[overview_rules.Colleague], ids: Sequence[str]
    ) -> dict[str, dict[str, UserSkill]]:
        cells: dict[str, dict[str, UserSkill]] = {row.username.casefold(): {} for row in people}
        for skill_id in ids:
            for skill in self._store.run(patterns.users_with_skill, skill_id):
                found = cells.get(skill.username.casefold())
                if found is not None:
                    found[skill_id] = skill
        return cells
