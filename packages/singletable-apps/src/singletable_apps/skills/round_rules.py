"""The rules of rating rounds: duration, participants, and changes of levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from singletable_apps.skills.entities import Level, Rating, Round, Team, User, UserSkill
from singletable_apps.skills.overview_rules import DataRow, DataTable, LevelNames, tally
from singletable_apps.skills.rules import RANKS

# How long before the end people who have not finished are reminded without being asked to.
LAST_CALL = timedelta(days=2)
LONGEST = timedelta(days=366)
# The results that are counted by team: of people themselves, and of their managers.
RESULTS = ("finished", "unfinished", "rated", "unrated")


def ends_at(item: Round) -> datetime:
    """Return when a round ends, or has ended: with its last day, unless it was closed before."""
    end = datetime.combine(item.closes_on, time(), UTC) + timedelta(days=1)
    return min(end, item.closed_at or end)


def managers_of(username: str, teams: Iterable[Team]) -> set[str]:
    """Return the casefolded usernames of a person's managers. Nobody manages themselves."""
    name = username.casefold()
    managed = [each for each in teams if name in map(str.casefold, each.members)]
    return {each.manager.casefold() for each in managed} - {"", name}


@dataclass(frozen=True, slots=True)
class Participant:
    """A person in a round, without `is_rated` if they have no manager."""

    user: User
    is_finished: bool
    is_rated: bool | None
    managers: set[str]
    teams: Sequence[str]


def find_tasks(people: Iterable[Participant], user: User) -> list[str]:
    """Return what someone has left to do in a round, in words."""
    is_left = any(each.user.user_id == user.user_id and not each.is_finished for each in people)
    name = user.username.casefold()
    unrated = sum(name in each.managers and each.is_rated is False for each in people)
    own = ["confirm or change your skill levels"] if is_left else []
    return [*own, f"rate {unrated} of your people"] if unrated else own


def count_progress(people: Iterable[Participant]) -> dict[str, list[int]]:
    """Count the results by team, in the order of RESULTS."""
    pairs: list[tuple[str, str]] = []
    for each in people:
        for team in each.teams or ["Without a team"]:
            pairs.append((team, "finished" if each.is_finished else "unfinished"))
            if each.is_rated is not None:
                pairs.append((team, "rated" if each.is_rated else "unrated"))
    return tally(pairs, RESULTS)


@dataclass(frozen=True, slots=True)
class LevelChange:
    """A skill with a new level; without `before`, the skill itself is new to the person."""

    user: User
    skill: UserSkill
    before: Level | None
    after: Level
    is_up: bool
    # Whether the level has reached the target of the job.
    is_gap_closed: bool


def level_at(skill: UserSkill, ratings: Sequence[Rating], at: datetime) -> Level | None:
    """Return the level of a skill at a moment, from its ratings, the oldest first."""
    earlier = [each for each in ratings if each.rated_at <= at]
    if earlier:
        return earlier[-1].level
    if skill.created_at > at:
        return None
    return ratings[0].level if ratings else skill.level


def find_changes(
    user: User,
    skills: Iterable[UserSkill],
    ratings: Iterable[Rating],
    targets: Mapping[str, Level],
    between: tuple[datetime, datetime],
) -> list[LevelChange]:
    """Return which levels of a person differ between two moments."""
    by_skill: dict[str, list[Rating]] = {}
    for each in ratings:
        by_skill.setdefault(each.skill_id, []).append(each)
    found: list[LevelChange] = []
    for skill in skills:
        history = by_skill.get(skill.skill_id, [])
        before, after = (level_at(skill, history, moment) for moment in between)
        if after and after is not before:
            old, new = RANKS[before] if before else 0, RANKS[after]
            target = targets.get(skill.skill_id)
            is_closed = target is not None and old < RANKS[target] <= new
            found.append(LevelChange(user, skill, before, after, new > old, is_closed))
    return found


def changes_table(changes: Iterable[LevelChange], names: LevelNames) -> DataTable:
    """Return changes as a table: a row for each person and skill."""
    rows: list[DataRow] = [
        [
            *(each.user.username, each.user.name, each.skill.skill_id, each.skill.skill_name),
            *(names[each.before] if each.before else "", names[each.after]),
            *("up" if each.is_up else "down", "yes" if each.is_gap_closed else "no"),
        ]
        for each in changes
    ]
    columns = ("username", "name", "skill_id", "skill", "before", "after", "change")
    return (*columns, "target_met"), rows
