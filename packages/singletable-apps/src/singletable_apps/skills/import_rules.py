"""The rules of imports: what headings and cells mean, and what happens with each row."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from singletable_apps.shared.accounts.usernames import check_username, suggest_username
from singletable_apps.shared.spreadsheets import FORMULA_ERRORS, Table, TableRow
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import entities, rules


class ImportField(StrEnum):
    """What a column can contain."""

    USERNAME = "username"
    NAME = "name"
    EMAIL = "email"
    DEPARTMENT = "department"
    TITLE = "title"
    LOCATION = "location"
    JOB_ROLE = "job_role"
    SKILL = "skill"
    LEVEL = "level"
    YEARS = "years"
    LAST_USED = "last_used"
    NOTES = "notes"


# Headings by which columns are recognized, besides the names of the fields.
_HEADINGS: Mapping[ImportField, str] = {
    ImportField.USERNAME: "user login account userid loginname handle employeeid",
    ImportField.NAME: "fullname displayname employee employeename person personname",
    ImportField.EMAIL: "emailaddress mail workemail",
    ImportField.DEPARTMENT: "dept team division unit",
    ImportField.TITLE: "jobtitle position",
    ImportField.LOCATION: "office city site",
    ImportField.JOB_ROLE: "role job",
    ImportField.SKILL: "skillname competency competence technology",
    ImportField.LEVEL: "proficiency proficiencylevel skilllevel rating",
    ImportField.YEARS: "yearsofexperience experience yearsexperience yoe",
    ImportField.LAST_USED: "lastuseddate lastuse lastusedon",
    ImportField.NOTES: "note comment comments remarks",
}
_FIELDS = {
    spelling: field
    for field, others in _HEADINGS.items()
    for spelling in (field.replace("_", ""), *others.split())
}
# What people write in a cell for a skill that someone does not have.
_NONE = frozenset(["", "0", "0.0", "0,0", "-", "–", "—", "n/a", "N/A", "none", "None"])
# What a sheet with a column per skill says about a person, and not about each of the skills.
OF_ONE_SKILL = frozenset([ImportField.YEARS, ImportField.LAST_USED, ImportField.NOTES])
_PERSON = frozenset([ImportField.USERNAME, ImportField.NAME, ImportField.EMAIL])
# Rows below the people: one of these words, and no others than these and those.
_SUMMARY, _OF_SUMMARY = (
    frozenset(words.split())
    for words in (
        "total totals subtotal sum sums average averages avg mean median count minimum maximum ø σ "
        "∑ summe gesamt gesamtsumme zwischensumme durchschnitt mittelwert mittel anzahl",
        "grand overall of all per number the and team teams department company level levels skill "
        "skills people employees rating ratings score der aller pro personen mitarbeiter",
    )
)
IS_SUMMARY = (
    "This looks like a total or an average. If it is a person, add a username or e-mail address."
)
_NAMES_NOBODY = "This row names nobody."
_DAY = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)(?:[T ].*)?|(\d\d?)\.(\d\d?)\.(\d{4})", re.ASCII)
_WHOLE = re.compile(r"(\d{1,3})(?:[.,]0+)?", re.ASCII)


def spell_levels(names: Mapping[entities.Level, str]) -> dict[str, entities.Level]:
    """Return the levels by what a cell can contain: names, or 1 to 4, which may be 2.0."""
    spellings = {
        text: level
        for level, rank in rules.RANKS.items()
        for text in (level.lower(), f"{rank}", f"{rank}.0", f"{rank},0")
    }
    return spellings | {name.casefold(): level for level, name in names.items()}


def describe_levels(names: Mapping[entities.Level, str]) -> str:
    """Return what a cell of a level can contain, in words."""
    return f"{', '.join(names.values())}, or a number from 1 to 4."


def recognize_columns(columns: Iterable[str]) -> dict[str, str]:
    """Return the field of each heading that is recognized. A field is used once."""
    found: dict[str, str] = {}
    for heading in columns:
        field = _FIELDS.get("".join(each for each in heading.casefold() if each.isalnum()))
        if field is not None and field not in found.values():
            found[heading] = field
    return found


def names_people(values: Iterable[str]) -> bool:
    """Return whether a row has the heading of a column that identifies a person."""
    return not _PERSON.isdisjoint(recognize_columns(values).values())


def is_summary(text: str) -> bool:
    """Return whether a text names a total or an average, such as `Sum of levels:`."""
    words = {*re.findall(r"[^\W\d_]+|∑", text.casefold())}
    return not words.isdisjoint(_SUMMARY) and words <= _SUMMARY | _OF_SUMMARY


def leave_out_summaries(table: Table, fields: Mapping[str, str]) -> tuple[Table, list[RowResult]]:
    """Return a table without rows of totals and averages, and these, once for each row.

    Someone with a username or an e-mail address is a person, whatever the name is.
    """
    if _PERSON.isdisjoint(fields.values()):
        return table, []
    rows: list[TableRow] = []
    left: dict[int, RowResult] = {}
    for row in table.rows:
        kind = {
            fields.get(each): text for each, text in zip(table.columns, row.values, strict=True)
        }
        name = kind.get(ImportField.NAME, "")
        if kind.get(ImportField.USERNAME) or kind.get(ImportField.EMAIL):
            reason = ""
        elif name:
            reason = IS_SUMMARY if is_summary(name) else ""
        else:
            # Of merged cells, only the first has a value.
            reason = "" if kind.get(ImportField.SKILL) else _NAMES_NOBODY
        if reason:
            left[row.number] = RowResult(row.number, Outcome.SKIPPED, name, text=reason)
        else:
            rows.append(row)
    return Table(table.columns, tuple(rows)), [*left.values()]


def unpivot(table: Table, levels: Container[str]) -> Table:
    """Return a sheet with a column per skill as one with a row per skill; others as they are.

    Columns of skills have unknown headings, and levels in at least half of the cells in use.
    """
    fields = recognize_columns(table.columns)
    if not {ImportField.SKILL, ImportField.LEVEL}.isdisjoint(fields.values()):
        return table
    of_people = leave_out_summaries(table, fields)[0].rows
    skills = [
        place
        for place, heading in enumerate(table.columns)
        if heading not in fields and not is_summary(heading)
        for cells in [[row.values[place] for row in of_people if row.values[place] not in _NONE]]
        if cells and sum(cell.casefold() in levels for cell in cells) * 2 >= len(cells)
    ]
    others = [place for place in range(len(table.columns)) if place not in skills]
    if not skills:
        return table
    people = [place for place in others if fields.get(table.columns[place]) in _PERSON]
    rows: list[TableRow] = []
    for number, values in table.rows:
        person = [values[place] for place in others]
        is_of_somebody = not people or any(values[at] for at in people)
        has = [
            (table.columns[at], values[at])
            for at in skills
            if is_of_somebody and values[at] not in _NONE
        ]
        rows += (TableRow(number, (*person, *each)) for each in has or [("", "")])
    return Table((*(table.columns[place] for place in others), "Skill", "Level"), tuple(rows))


def add_usernames(
    table: Table, fields: Mapping[str, str], people: Iterable[tuple[str, str, str]]
) -> tuple[Table, dict[str, str]]:
    """Return a table with the usernames that are missing, found by e-mail address or name.

    `people` are usernames, names and addresses. If there is no column of usernames, new people get
    one from their address or name. A name that several people have stays without, which is an error
    of the row.
    """
    heading = next((each for each, field in fields.items() if field == ImportField.USERNAME), "")
    at = table.columns.index(heading) if heading else len(table.columns)
    if heading and all(row.values[at] for row in table.rows):
        return table, dict(fields)
    known: dict[str, list[str]] = {}
    taken = set[str]()
    for username, *texts in people:
        taken.add(username.casefold())
        for text in filter(None, texts):
            known.setdefault(_spell_name(text), []).append(username)
    wanted = (ImportField.EMAIL, ImportField.NAME)
    places = [
        at for field in wanted for at, each in enumerate(table.columns) if fields.get(each) == field
    ]
    rows: list[TableRow] = []
    for number, values in table.rows:
        texts = [values[place] for place in places if values[place]]
        found = [each for each in values[at : at + 1] if each]
        texts_known = (known.get(_spell_name(text)) for text in texts)
        found = found or next(filter(None, texts_known), [])
        if texts and not found and not heading:
            slug = suggest_username(rules.derive_skill_id(texts[0].partition("@")[0]))
            free = (f"{slug}-{n}" if n else slug for n in (0, *range(2, 1_000)))
            found = [next((name for name in free if name not in taken), "")]
        taken.update(each.casefold() for each in found)
        for text in texts:
            known.setdefault(_spell_name(text), found)
        name = found[0] if len(found) == 1 else ""
        rows.append(TableRow(number, (*values[:at], name, *values[at + 1 :])))
    heading = heading or "Username of the person"
    columns = (*table.columns[:at], heading, *table.columns[at + 1 :])
    return Table(columns, tuple(rows)), {**fields, heading: ImportField.USERNAME}


def _spell_name(text: str) -> str:
    """Return the spelling by which people are found: `Lovelace, Ada` is Ada Lovelace."""
    return " ".join(" ".join(reversed(text.casefold().split(","))).split())


@dataclass(frozen=True, slots=True)
class SkillCells:
    """What a row says about a skill. Blank cells are None."""

    level: entities.Level
    years: int | None
    last_used: date | None
    notes: str | None


@dataclass(frozen=True, slots=True)
class ImportRow:
    """A row without errors: a person, and a skill unless `spelling` is empty."""

    number: int
    username: str
    profile: Mapping[str, str]
    spelling: str
    cells: SkillCells | None


class Outcome(StrEnum):
    """What happens with a row, in the order in which previews list them."""

    ERROR = "error"
    SKIPPED = "skipped"
    CHANGED = "changed"
    NEW = "new"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class RowResult:
    """What happens with a row. Errors name the column, and say what to do."""

    number: int
    outcome: Outcome
    username: str = ""
    skill: str = ""
    text: str = ""
    column: str = ""
    value: str = ""


def check_rows(
    table: Table, fields: Mapping[str, str], levels: Mapping[entities.Level, str], today: date
) -> tuple[list[ImportRow], list[RowResult], dict[str, str]]:
    """Return the rows without errors, the errors of the others, and all names by username.

    `fields` are the fields by heading. The username must be among them.
    """
    columns = [(place, fields.get(heading)) for place, heading in enumerate(table.columns)]
    used = [(place, ImportField(field)) for place, field in columns if field]
    headings = {field: table.columns[place] for place, field in used}
    # Most cells are repeated in other rows.
    checked: dict[tuple[ImportField, str], tuple[Any, str]] = {}
    rows: list[ImportRow] = []
    errors: list[RowResult] = []
    names: dict[str, str] = {}
    for number, values in table.rows:
        cells: dict[str, Any] = {}
        found: list[tuple[ImportField, str, str]] = []
        for place, field in used:
            key = field, values[place]
            if key not in checked:
                checked[key] = _check_cell(*key, today, levels)
            cells[field], error = checked[key]
            if error:
                found.append((field, error, values[place][:50]))
        has_skill_values = any(cells.get(each) for each in ("level", "years", "last_used", "notes"))
        if not cells.get("skill") and has_skill_values:
            found.append((ImportField.SKILL, "Enter the skill that these values are about.", ""))
        elif cells.get("skill") and not cells.get("level") and not found:
            found.append((ImportField.LEVEL, f"Enter a level: {describe_levels(levels)}", ""))
        person, skill = str(cells.get("username") or ""), str(cells.get("skill") or "")
        if cells.get("name"):
            names.setdefault(person.casefold(), cells["name"])
        errors += [
            RowResult(number, Outcome.ERROR, person, skill, text, headings.get(field, field), value)
            for field, text, value in found
        ]
        if not found:
            profile = {name: cells[name] for name in PROFILE if cells.get(name)}
            others = [cells.get(each) for each in ("years", "last_used", "notes")]
            about = SkillCells(cells["level"], *others) if skill else None
            rows.append(ImportRow(number, person, profile, skill, about))
    return rows, errors, names


PROFILE = ("name", "email", "department", "title", "location", "job_role")


def _check_cell(
    field: ImportField, text: str, today: date, levels: Mapping[entities.Level, str]
) -> tuple[Any, str]:
    """Return the value of a cell and what is wrong with it. Blank cells are None."""
    if text in FORMULA_ERRORS:
        return None, f"The formula of this cell has failed ({text}). Correct it, or enter a value."
    if not text:
        is_username = field is ImportField.USERNAME
        return None, (_NO_USERNAME if is_username else "")
    checks = InputChecks()
    value: Any = text
    match field:
        case ImportField.USERNAME:
            value = check_username(checks, text, field)
        case ImportField.NAME:
            value = rules.check_name(checks, text, field)
        case ImportField.EMAIL:
            value = checks.email(field, text)
        case ImportField.SKILL:
            value = checks.line(field, text, longest=rules.MAX_SKILL_NAME)
            if not 0 < len(rules.normalize_alias(value)) <= rules.MAX_SKILL_NAME:
                checks.reject(field, "Enter the name of a skill, with a letter or digit.")
        case ImportField.LEVEL:
            value = spell_levels(levels).get(text.casefold())
            if value is None:
                checks.reject(field, f"Enter {describe_levels(levels)}")
        case ImportField.YEARS:
            whole = _WHOLE.fullmatch(text)
            value = int(whole[1]) if whole else -1
            if not 0 <= value <= rules.MAX_YEARS:
                checks.reject(field, f"Enter whole years between 0 and {rules.MAX_YEARS}.")
        case ImportField.LAST_USED:
            value = _parse_day(checks, text, today)
        case ImportField.NOTES:
            value = checks.text(field, text, longest=rules.MAX_NOTES)
        case _:
            value = checks.line(field, text, longest=rules.MAX_NAME)
    return value, next(iter(checks.errors.values()), "")


_NO_USERNAME = (
    "Enter the username; a name that several people have is not enough. Of merged cells only the "
    "first has a value: fill in the others, too."
)


def _parse_day(checks: InputChecks, text: str, today: date) -> date | None:
    found = _DAY.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        year, month, day = found.groups()[:3] if found[1] else reversed(found.groups()[3:])
        value = date(int(year), int(month), int(day))
    except ValueError:
        checks.reject("last_used", "Enter a day such as 2026-03-31, with the year first.")
        return None
    if value > today:
        checks.reject("last_used", "This day is in the future.")
    elif value.year < 1950:
        checks.reject("last_used", "Enter a day after 1950.")
    return value


SKIP = "skip"
CREATE, USE = "create:", "use:"


def check_choices(
    columns: Mapping[str, str],
    skills: Mapping[str, str],
    headings: Sequence[str],
    categories: Container[str],
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the fields by heading and the actions by spelling, or raise InvalidInput."""
    checks = InputChecks()
    fields = {heading: field for heading, field in columns.items() if field}
    for heading, field in fields.items():
        if heading not in headings:
            checks.reject("columns", f"The file has no column “{heading[:50]}”.")
        elif field not in [*ImportField]:
            checks.reject("columns", f"Choose one of the fields, not “{field[:50]}”.")
        elif list(fields.values()).count(field) > 1:
            name = field.replace("_", " ")
            checks.reject("columns", f"Choose one column for the {name}; there are several now.")
    actions = {
        rules.normalize_alias(spelling): action for spelling, action in skills.items() if action
    }
    for spelling in skills:
        # The empty spelling stands for all others.
        if spelling and not rules.normalize_alias(spelling):
            checks.reject("skills", "Use spellings with at least one letter or digit.")
    for action in actions.values():
        is_category = action.removeprefix(CREATE) in categories
        if action != SKIP and not action.startswith(USE) and not is_category:
            checks.reject("skills", f"Choose to create, use or skip skills, not “{action[:50]}”.")
    checks.raise_errors()
    return fields, actions


@dataclass(frozen=True, slots=True)
class PlannedSkill:
    """A skill of a person before and after an import. Nothing is written if they are the same."""

    row: int
    skill: entities.Skill
    before: entities.UserSkill | None
    after: entities.SkillValues

    @property
    def outcome(self) -> Outcome:
        """Return what happens with the row."""
        if self.before is None:
            return Outcome.NEW
        same = self.after == values_of(self.before)
        return Outcome.DUPLICATE if same else Outcome.CHANGED


def values_of(skill: entities.UserSkill) -> entities.SkillValues:
    """Return what was entered about a skill of a person."""
    return entities.SkillValues(
        skill.level, skill.years, skill.last_used, skill.notes, skill.source, skill.rated_by
    )


def plan_skill(
    row: int,
    cells: SkillCells,
    skill: entities.Skill,
    before: entities.UserSkill | None,
    duplicates: entities.Duplicates,
    today: date,
) -> PlannedSkill:
    """Return what an import does with a skill of a person. Blank cells change nothing."""
    if before is None:
        after = entities.SkillValues(
            level=cells.level,
            years=cells.years or 0,
            last_used=cells.last_used or today,
            notes=cells.notes or "",
            source=entities.Source.IMPORT,
            rated_by="",
        )
        return PlannedSkill(row, skill, None, after)
    current = values_of(before)
    entered = (
        cells.level,
        current.years if cells.years is None else cells.years,
        cells.last_used or current.last_used,
        current.notes if cells.notes is None else cells.notes,
    )
    is_higher = rules.RANKS[cells.level] > rules.RANKS[before.level]
    is_wanted = duplicates is entities.Duplicates.OVERWRITE or (
        duplicates is entities.Duplicates.HIGHER and is_higher
    )
    if not is_wanted or entered == (current.level, current.years, current.last_used, current.notes):
        return PlannedSkill(row, skill, before, current)
    return PlannedSkill(
        row, skill, before, entities.SkillValues(*entered, entities.Source.IMPORT, "")
    )


@dataclass(slots=True)
class PersonRows:
    """The rows of a person: the first value of each column, and each skill once."""

    username: str
    profile: dict[str, str]
    skills: dict[str, tuple[int, SkillCells, entities.Skill]]
    # The numbers of the rows without a skill.
    others: list[int]


def group_rows(
    rows: Iterable[ImportRow],
    names: Mapping[str, str],
    skills: Mapping[str, entities.Skill],
    people: Container[str],
    jobs: Mapping[str, str],
) -> tuple[list[PersonRows], list[RowResult]]:
    """Return the rows by person, and what is wrong with those that cannot be imported.

    `names` are by username, and `skills` by normalized spelling. `people` are the usernames that
    exist. `jobs` are the ids of jobs by id and name.
    """
    found: dict[str, PersonRows] = {}
    left: list[RowResult] = []
    for row in rows:
        key, error, column = row.username.casefold(), "", ""
        skill = skills.get(rules.normalize_alias(row.spelling)) if row.cells else None
        person = found.get(key)
        job = row.profile.get("job_role")
        if key not in people and key not in names:
            error, column = "This person is new: enter the name in at least one row.", "name"
        elif job and key not in people and job.casefold() not in jobs:
            error, column = f"There is no job “{job}”. Create it, or clear the cell.", "job_role"
        elif skill and person and skill.skill_id in person.skills:
            first = person.skills[skill.skill_id][0]
            error, column = f"Row {first} has the same person and skill. Remove one.", "skill"
        if error:
            left.append(
                RowResult(row.number, Outcome.ERROR, row.username, row.spelling, error, column)
            )
            continue
        if person is None:
            person = found[key] = PersonRows(row.username, {}, {}, [])
            if key in names:
                person.profile["name"] = names[key]
        person.profile = {**row.profile, **person.profile}
        if job:
            person.profile["job_role"] = jobs.get(job.casefold(), "")
        if row.cells is None:
            person.others.append(row.number)
        elif skill:
            person.skills[skill.skill_id] = row.number, row.cells, skill
        else:
            text = "The catalog does not have this skill. Choose what to do with it."
            left.append(
                RowResult(row.number, Outcome.SKIPPED, row.username, row.spelling, text, "skill")
            )
    return list(found.values()), left
