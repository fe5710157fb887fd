"""A sample company: Fernhill, with 120 people and 60 skills, the same every time.

`company.yaml` has the skills, the jobs with their targets, and the names. What people know is drawn
from their jobs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from random import Random

from pydantic import BaseModel

from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.apps import SampleData, SampleEntry
from singletable_apps.shared.front_matter import read_values
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.skills.entities import (
    Directory,
    Endorsement,
    JobRole,
    Level,
    Role,
    Skill,
    SkillAlias,
    SkillCount,
    Source,
    Team,
    User,
    UserSkill,
)
from singletable_apps.skills.entry_rules import EntryDraft, KindName, kind_named
from singletable_apps.skills.rules import LEVELS, RANKS, derive_skill_id
from singletable_apps.skills.service import SkillsService
from singletable_apps.skills.service.catalog import spellings_of

PASSWORD = "lantern copper river"
# Who can sign in: the username, the name, the role, and what the role may do.
ACCOUNTS = (
    ("ines", "Ines Okafor", Role.ADMIN, "Manages skills, jobs, people and imports"),
    ("tomasz", "Tomasz Lindqvist", Role.MANAGER, "Rates skills, sets targets and plans teams"),
    ("priya", "Priya Raman", Role.USER, "Edits her own skills, and endorses others"),
)
TEAMS = {
    "Checkout rewrite": ("priya", "luca", "beatriz", "maya", "theo", "rosa", "claire"),
    "Search on call": ("tomasz", "amara", "jonas", "nikolai", "astrid"),
    "Accessibility guild": ("elif", "zanele", "maya", "sara", "thandi", "camille"),
}
# The department whose people the manager rates.
MANAGED = "Payments"
_LETTERS = dict(zip("BIAE", LEVELS, strict=True))
_FILE = Path(__file__).parent / "company.yaml"

Progress = Callable[[int, int], None]


class _SampleSkill(BaseModel):
    name: str
    aliases: list[str] = []
    description: str = ""


class _SampleRole(BaseModel):
    targets: dict[str, str]
    often: list[str]


class _Company(BaseModel):
    name: str
    skills: dict[str, list[_SampleSkill]]
    roles: dict[str, _SampleRole]
    locations: list[str]
    departments: dict[str, dict[str, list[str]]]
    entries: dict[str, dict[KindName, list[EntryDraft]]]


def create_sample(service: SkillsService, progress: Progress | None = None) -> None:
    """Create the sample in an empty directory."""
    store = service.context.store
    if store.get(Directory.key(), consistent=True) is not None:
        raise NotPermitted("This directory is in use. Choose other tables for the sample.")
    company = _Company.model_validate(read_values(_FILE.read_text(encoding="utf-8")))
    items = list(_Drawing(company, service.context.today(), Passwords().hash(PASSWORD)).items())
    store.bulk_load(items)
    for username, kinds in company.entries.items():
        author = service.context.get_user(username)
        for kind, drafts in kinds.items():
            for draft in drafts:
                service.entries.create(author, username, kind_named(kind), draft)
    if progress is not None:
        progress(len(items), len(items))


def list_sample(service: SkillsService) -> SampleData | None:
    """Return the sample accounts, if they are there with their password, or None."""
    url = service.context.urls.page("sign-in")
    entries = [
        SampleEntry(
            f"{name}, {role}", about, url, {"who": username, "password": PASSWORD}, "Sign in as"
        )
        for username, name, role, about in ACCOUNTS
        for user in [service.context.find_user(username)]
        if user is not None and user.name == name and user.credentials == 1
    ]
    return SampleData(tuple(entries), PASSWORD) if entries else None


@dataclass
class _Drawing:
    """Draws what people know, with a seed."""

    company: _Company
    today: date
    password_hash: str
    random: Random = field(default_factory=lambda: Random(7))

    def items(self) -> Iterator[object]:
        """Yield the items of the company."""
        people = list(self._people())
        yield Directory(name=self.company.name)
        yield from people
        yield from self._catalog()
        for name, role in self.company.roles.items():
            targets = {derive_skill_id(each): _LETTERS[to] for each, to in role.targets.items()}
            yield JobRole(role_id=derive_skill_id(name), name=name, targets=targets)
        for name, members in TEAMS.items():
            team_id = derive_skill_id(name)
            yield Team(team_id=team_id, name=name, members=list(members), created_by="tomasz")
        line = [each.username for each in people if each.department == MANAGED]
        names = {"team_id": "line", "name": MANAGED, "created_by": "ines", "manager": "tomasz"}
        yield Team(members=line, **names)
        counts: Counter[tuple[str, Level]] = Counter()
        for person in people:
            for skill in self._skills(person):
                counts[skill.skill_id, skill.level] += 1
                endorsements = list(self._endorsements(person, skill, people))
                skill.endorsements = len(endorsements)
                yield skill
                yield from endorsements
        for skill_id in sorted({skill_id for skill_id, _ in counts}):
            levels = {level.lower(): counts[skill_id, level] for level in LEVELS}
            yield SkillCount(skill_id=skill_id, **levels)

    def _people(self) -> Iterator[User]:
        accounts = {username: role for username, _, role, _ in ACCOUNTS}
        rows = (
            (name, job, department)
            for department, jobs in self.company.departments.items()
            for job, names in jobs.items()
            for name in names
        )
        for number, (name, job, department) in enumerate(rows, 1):
            username = name.split()[0].lower()
            yield User(
                username=username,
                user_id=number,
                name=name,
                role=accounts.get(username, Role.USER),
                password_hash=self.password_hash if username in accounts else "",
                email=f"{username}@fernhill.example",
                title=job if self.random.random() < 0.7 else f"Senior {job}",
                department=department,
                location=self.random.choice(self.company.locations),
                job_role=derive_skill_id(job),
            )

    def _catalog(self) -> Iterator[Skill | SkillAlias]:
        for category, skills in self.company.skills.items():
            for each in skills:
                skill = Skill(
                    skill_id=derive_skill_id(each.name),
                    name=each.name,
                    category=category,
                    description=each.description,
                    aliases=each.aliases,
                )
                yield skill
                for alias in spellings_of(skill):
                    yield SkillAlias(alias=alias, skill_id=skill.skill_id)

    def _skills(self, person: User) -> Iterator[UserSkill]:
        """Yield what a person knows: most of the job's targets, and some more."""
        [role] = [
            role
            for name, role in self.company.roles.items()
            if derive_skill_id(name) == person.job_role
        ]
        shift = 1 if person.title.startswith("Senior") else 0
        known = {
            name: RANKS[_LETTERS[to]] + self.random.choice((-2, -1, -1, 0, 0, 0, 1)) + shift
            for name, to in role.targets.items()
            if self.random.random() < 0.88
        }
        for name in self.random.sample(role.often, self.random.randint(2, 4)):
            known[name] = self.random.choice((1, 2, 2, 3)) + shift
        for name, rank in sorted(known.items()):
            yield self._skill(person, name, LEVELS[min(max(rank, 1), 4) - 1])

    def _skill(self, person: User, name: str, level: Level) -> UserSkill:
        years = max(0, RANKS[level] * 2 - 2 + self.random.randint(-1, 3))
        # One skill in six was not used for a long time.
        is_rusty = self.random.random() < 1 / 6
        days = self.random.randint(300, 1500) if is_rusty else self.random.randint(0, 120)
        is_rated = self.random.random() < 0.15 and person.department == MANAGED
        return UserSkill(
            username=person.username,
            skill_id=derive_skill_id(name),
            skill_name=name,
            level=level,
            years=years,
            last_used=self.today - timedelta(days=days),
            source=Source.MANAGER if is_rated else Source.SELF,
            rated_by="tomasz" if is_rated else "",
        )

    def _endorsements(
        self, person: User, skill: UserSkill, people: list[User]
    ) -> Iterator[Endorsement]:
        colleagues = [
            each.username
            for each in people
            if each.department == person.department and each is not person
        ]
        most = min(len(colleagues), RANKS[skill.level] * 2 - 1)
        for endorser in self.random.sample(colleagues, self.random.randint(0, most)):
            yield Endorsement(username=person.username, skill_id=skill.skill_id, endorser=endorser)
