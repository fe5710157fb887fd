"""The rules: permissions, valid names and levels, and the ranking of people."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from unicodedata import normalize

from singletable import evolve
from singletable_apps.shared.accounts.usernames import MAX_USERNAME, USERNAME
from singletable_apps.shared.errors import RequestRejected
from singletable_apps.shared.permissions import NotPermitted, Permissions
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills.entities import (
    Directory,
    Level,
    Rating,
    Role,
    SkillCount,
    Source,
    Team,
    User,
    UserSkill,
)

MIN_NAME, MAX_NAME = 2, 100
MAX_SKILL_NAME = 100
MAX_NOTES = 500
MAX_YEARS = 80
MAX_ABOUT = 2_000
LEVELS = tuple(Level)
MAX_WORD, MAX_CATEGORIES = 40, 40
DEFAULT_LEVELS = (
    "Beginner: Knows the basics, and needs help.",
    "Intermediate: Does everyday work independently.",
    "Advanced: Solves hard problems, and helps others.",
    "Expert: Solves what nobody else can; others ask for advice.",
)
DEFAULT_CATEGORIES = (
    *("Programming", "Cloud", "DevOps", "Database", "Frontend", "Backend", "Mobile", "Data"),
    *("Security", "Other"),
)
RANKS: Mapping[Level, int] = {level: rank for rank, level in enumerate(Level, 1)}


class InUse(RequestRejected):
    """This cannot be deleted while others depend on it."""


class Permission(StrEnum):
    """What an account may be allowed to do."""

    EDIT_OWN = "edit-own"
    RATE_OTHERS = "rate-others"
    PLAN = "plan"
    CHANGE_TEAMS = "change-teams"
    ADMINISTER = "administer"


# Each role with its name, what people with it may do, and the tab that lists them.
ROLES = (
    (Role.WAITING, "Waiting for approval", "Sees only their own account.", "Waiting"),
    (Role.USER, "User", "Edits their own profile and skills, and endorses others."),
    (Role.MANAGER, "Manager", "Also rates skills of others, and plans jobs and teams.", "Managers"),
    (
        Role.ADMIN,
        "Administrator",
        "Also manages accounts, the catalog and imports.",
        "Administrators",
    ),
)
PERMISSIONS = Permissions(
    Role,
    {
        Permission.EDIT_OWN: (Role.USER, "Your account waits for approval."),
        Permission.RATE_OTHERS: (
            Role.MANAGER,
            "You can only change your own profile and skills. Managers can change others.",
        ),
        Permission.PLAN: (Role.MANAGER, "Only managers can change jobs."),
        Permission.CHANGE_TEAMS: (
            Role.MANAGER,
            "Only the creator of a team and managers can change it.",
        ),
        Permission.ADMINISTER: (Role.ADMIN, "Only administrators can do this."),
    },
)


@dataclass(frozen=True, slots=True)
class Reach:
    """The people that someone may rate, with access to their gaps, addresses and exports.

    `people` are casefolded usernames; None stands for everyone.
    """

    people: frozenset[str] | None

    def __contains__(self, username: str) -> bool:
        return self.people is None or username.casefold() in self.people


def find_reach(actor: User, teams: Sequence[Team]) -> Reach:
    """Return the reach of someone: oneself, for managers their people, and for admins everyone.

    The people of a manager are the members of the managed teams, and their people in turn.
    """
    if actor.role is Role.ADMIN:
        return Reach(None)
    found, new = set[str](), {actor.username.casefold()}
    while new - found:
        found |= new
        if PERMISSIONS.allows(actor.role, Permission.RATE_OTHERS):
            managed = (team.members for team in teams if team.manager.casefold() in found)
            new = {name.casefold() for members in managed for name in members}
    return Reach(frozenset(found))


def check_self(actor: User, username: str) -> None:
    """Raise NotPermitted unless this is the actor's own account, or the actor an administrator."""
    if not is_same_user(actor.username, username) and actor.role is not Role.ADMIN:
        raise NotPermitted("You can only change your own account.")


def check_not_self(actor: User, username: str) -> None:
    """Raise NotPermitted if these are the actor's own skills, which only others can endorse."""
    if is_same_user(actor.username, username):
        raise NotPermitted("You cannot endorse your own skills.")


def is_same_user(one: str, other: str) -> bool:
    """Return whether two spellings are the same username."""
    return one.casefold() == other.casefold()


# ------------------------------------------------------------------------------ names


@dataclass(frozen=True, slots=True)
class Words:
    """The words of an organization: names and descriptions of its levels, and its categories."""

    levels: Mapping[Level, str]
    hints: Mapping[Level, str]
    categories: Sequence[str]


def words_of(directory: Directory) -> Words:
    """Return the words of the settings, or else ours. A level is stored as `name: description`."""
    parts = [each.partition(":") for each in directory.levels or DEFAULT_LEVELS]
    rows = [(name.strip(), hint.strip()) for name, _, hint in parts]
    names, hints = (dict(zip(LEVELS, texts, strict=True)) for texts in zip(*rows, strict=True))
    return Words(names, hints, directory.categories or DEFAULT_CATEGORIES)


def check_words(checks: InputChecks, field: str, lines: Iterable[str], most: int) -> list[str]:
    """Check levels or categories, one per line: each once, and as many as there can be."""
    found = [checks.line(field, each, longest=200) for each in lines if each.strip()]
    names = [each.partition(":")[0].strip() for each in found]
    is_right = len(found) == most if field == "levels" else 0 < len(found) <= most
    if not is_right:
        number = most if field == "levels" else f"1 to {most}"
        checks.reject(field, f"Enter {number} lines; there are {len(found)}.")
    elif len({each.casefold() for each in names}) < len(names) or not all(names):
        checks.reject(field, "Give each of them another name.")
    elif max(map(len, names)) > MAX_WORD:
        checks.reject(field, f"Use names of at most {MAX_WORD} characters.")
    return found


def match_categories(before: Sequence[str], after: Sequence[str]) -> dict[str, str]:
    """Return the new name of each category that is gone; empty if no new one has its place."""
    places = dict(enumerate(after))
    return {
        old: "" if (new := places.get(place, "")) in before else new
        for place, old in enumerate(before)
        if old not in after
    }


def check_name(checks: InputChecks, name: str, field: str = "name") -> str:
    """Check the name of a person: 2 to 100 characters."""
    value = checks.line(field, name, longest=MAX_NAME, required=True)
    if len(value) < MIN_NAME:
        checks.reject(field, f"Use at least {MIN_NAME} characters.")
    return value


def is_key(text: str) -> bool:
    """Return whether a text from a URL can be a username or an id, so that it can be looked up."""
    return 0 < len(text) <= MAX_USERNAME and USERNAME.fullmatch(text) is not None


def normalize_alias(text: str) -> str:
    """Return the spelling by which a skill is found: `Go Lang`, `golang` and `GoLang` are one.

    Signs that tell skills apart stay: C, C++ and C# are three.
    """
    folded = normalize("NFKC", text).casefold()
    return "".join(each for each in folded if each.isalnum() or each in "+#")


def derive_skill_id(name: str) -> str:
    """Return the id for a new skill: lowercase letters, digits and hyphens, at most 50."""
    spelled = name.casefold().replace("++", " plus plus").replace("#", " sharp")
    plain = normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:50].strip("-")


# ------------------------------------------------------------------------------ skills of people


@dataclass(frozen=True, slots=True)
class SkillName:
    """A skill of the catalog in a list: everything that the index has."""

    skill_id: str
    name: str
    category: str


@dataclass(frozen=True)
class SkillDraft:
    """What someone enters about a skill of a person. `evidence` is a link for this rating."""

    level: Level
    years: int = 0
    last_used: date | None = None
    notes: str = ""
    evidence: str = ""


def check_skill_draft(draft: SkillDraft, today: date) -> SkillDraft:
    """Return the draft with its text normalized and the day filled in, or raise InvalidInput."""
    checks = InputChecks()
    notes = checks.text("notes", draft.notes, longest=MAX_NOTES)
    evidence = checks.link("evidence", draft.evidence)
    if not 0 <= draft.years <= MAX_YEARS:
        checks.reject("years", f"Enter a number of years between 0 and {MAX_YEARS}.")
    last_used = draft.last_used or today
    if last_used > today:
        checks.reject("last_used", "This day is in the future.")
    elif last_used.year < 1950:
        checks.reject("last_used", "Enter a day after 1950.")
    checks.raise_errors()
    return SkillDraft(draft.level, draft.years, last_used, notes, evidence)


def merge_user_skills(one: UserSkill, other: UserSkill) -> UserSkill:
    """Return `other` with the higher level, more years, the latest use, and the notes of both."""
    rated = max(other, one, key=lambda each: RANKS[each.level])
    notes = other.notes
    if one.notes and one.notes not in notes:
        notes = f"{notes}\n{one.notes}".strip()[:MAX_NOTES].rstrip()
    return evolve(
        other,
        level=rated.level,
        source=rated.source,
        rated_by=rated.rated_by,
        years=max(one.years, other.years),
        last_used=max(one.last_used, other.last_used),
        notes=notes,
    )


def pair_ratings(ratings: Iterable[Rating]) -> dict[str, tuple[Rating | None, Rating | None]]:
    """Return the latest own rating and the latest of a manager, by skill; the oldest come first."""
    pairs: dict[str, tuple[Rating | None, Rating | None]] = {}
    for each in ratings:
        own, managers = pairs.get(each.skill_id, (None, None))
        is_own = each.source is not Source.MANAGER
        pairs[each.skill_id] = (each, managers) if is_own else (own, each)
    return pairs


def latest_levels(
    skills: Iterable[UserSkill], ratings: Iterable[Rating]
) -> dict[str, tuple[Level | None, Level | None]]:
    """Return the levels of the latest own rating and of the latest of a manager, by skill."""
    pairs, found = pair_ratings(ratings), dict[str, tuple[Level | None, Level | None]]()
    for each in skills:
        # A skill that was rated once has no history.
        only = (None, each) if each.rated_by else (each, None)
        own, managers = pairs.get(each.skill_id, only)
        found[each.skill_id] = (own.level if own else None, managers.level if managers else None)
    return found


def people_at(count: SkillCount, level: Level = Level.BEGINNER) -> int:
    """Return how many people have a skill at a level or a higher one."""
    numbers = (count.beginner, count.intermediate, count.advanced, count.expert)
    return sum(numbers[RANKS[level] - 1 :])


# ------------------------------------------------------------------------------ ranking

LEVEL_WEIGHT = 10.0
MAX_YEARS_COUNTED = 10
HALF_LIFE_MONTHS = 24
_DAYS_PER_MONTH = 365.25 / 12


@dataclass(frozen=True, slots=True)
class Score:
    """How well a skill matches, with every term, so that a page can show the formula."""

    level: float
    years: float
    endorsements: float
    recency: float

    @property
    def total(self) -> float:
        """Return (level + years + endorsements) × recency."""
        return (self.level + self.years + self.endorsements) * self.recency


def score(skill: UserSkill, today: date) -> Score:
    """Return the score of a skill: 10 points a level, 1 a year up to 10, ln(1 + endorsements).

    The sum halves with every two years in which the skill was not used.
    """
    months = max(0, (today - skill.last_used).days) / _DAYS_PER_MONTH
    return Score(
        level=LEVEL_WEIGHT * RANKS[skill.level],
        years=float(min(skill.years, MAX_YEARS_COUNTED)),
        endorsements=math.log1p(max(0, skill.endorsements)),
        recency=0.5 ** (months / HALF_LIFE_MONTHS),
    )
