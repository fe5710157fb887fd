"""Imports: upload a spreadsheet, see what it would change, apply it once, and undo it.

Rows are checked and planned again whenever an import is shown or applied, so a preview is up to
date. Each person is one transaction, or several with many skills, and each of them creates an
ImportedPerson: if the process stops or the form is sent twice, what is done is not done again.
"""

from __future__ import annotations

import secrets
import zlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import msgspec

from singletable import (
    ConditionFailed,
    Edit,
    Page,
    Transaction,
    TransactionConflict,
    evolve,
    key_of,
    retry_conflicts,
)
from singletable_apps.shared.accounts import new_user_id
from singletable_apps.shared.errors import Busy, InvalidInput, NotFound
from singletable_apps.shared.service import RevisionCheck, any_revision, check_found
from singletable_apps.shared.spreadsheets import SpreadsheetError, Table, TableRow, read_table
from singletable_apps.shared.text import clean_filename
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import (
    Duplicates,
    Entries,
    Import,
    ImportedPerson,
    ImportedSkill,
    ImportPart,
    ImportStatus,
    JobRole,
    Level,
    Rating,
    Skill,
    SkillAlias,
    User,
    UserSkill,
)
from singletable_apps.skills.import_rules import (
    CREATE,
    OF_ONE_SKILL,
    SKIP,
    USE,
    Outcome,
    PersonRows,
    PlannedSkill,
    RowResult,
    SkillCells,
    add_usernames,
    check_choices,
    check_rows,
    group_rows,
    leave_out_summaries,
    names_people,
    plan_skill,
    recognize_columns,
    spell_levels,
    unpivot,
    values_of,
)
from singletable_apps.skills.rules import PERMISSIONS, InUse, Permission, normalize_alias
from singletable_apps.skills.service.catalog import (
    Part,
    SkillEdit,
    check_skill,
    count,
    spellings_of,
)
from singletable_apps.skills.service.context import ATTEMPTS, IS_HERE, Context
from singletable_apps.skills.service.user_skills import UserSkills, is_rated_anew, write_skill

# The parts of an item, which may have 400 KB with its other attributes.
PART_BYTES = 300_000
PREVIEW_DAYS, UNDO_DAYS, HISTORY_DAYS = 7, 30, 365
# With checks, counts and ratings, each skill is five actions of a transaction, which has 100.
SKILLS_PER_TRANSACTION = 19
# How many skills an import creates at most. Their ids are stored in the item of the import.
MAX_NEW_SKILLS = 1_000
# How many people are read at once.
_BATCH = 100
ACCOUNT = "the account"


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would do, or has done. `problem` says why it cannot be applied."""

    headings: tuple[str, ...] = ()
    results: Sequence[RowResult] = ()
    # The names of people who get an account, by username.
    new_people: Mapping[str, str] = field(default_factory=dict[str, str])
    # How many rows have each spelling that means no skill of the catalog.
    unknown: Mapping[str, int] = field(default_factory=dict[str, int])
    problem: str = ""

    def count(self, outcome: Outcome) -> int:
        """Return how many rows, or skills of a row, have this outcome."""
        return len({(row.number, row.skill) for row in self.results if row.outcome is outcome})


@dataclass(frozen=True, slots=True)
class _Plan:
    people: list[PersonRows]
    users: Mapping[str, User]
    left: list[RowResult]
    unknown: Mapping[str, int]


class Imports(Part):
    """Stages, previews, applies and undoes imports."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._user_skills = UserSkills(context)

    # -------------------------------------------------------------------------- stage

    def upload(self, actor: User, file_name: str, data: bytes) -> Import:
        """Store the rows of a CSV or XLSX file for a preview. Nothing else is written."""
        PERMISSIONS.check(actor.role, Permission.ADMINISTER)
        if file_name.casefold().endswith(".xlsx") and not data.startswith(b"PK"):
            text = "This file is named .xlsx, but is not an Excel file. Save it as XLSX or CSV."
            raise InvalidInput({"file": text})
        try:
            sheet = _read_sheet(data)
        except SpreadsheetError as error:
            raise InvalidInput({"file": str(error)}) from error
        table = unpivot(sheet, spell_levels(self._context.words().levels))
        if not table.rows:
            raise InvalidInput({"file": "The file has headings, but no rows below them."})
        now = self._context.clock()
        staged = Import(
            import_id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}",
            file_name=clean_filename(file_name).strip() or "spreadsheet",
            created_by=actor.username,
            columns={
                heading: field
                for heading, field in recognize_columns(table.columns).items()
                if table is sheet or field not in OF_ONE_SKILL
            },
            rows=len(table.rows),
            uploaded_at=now,
            expires_at=now + timedelta(days=PREVIEW_DAYS),
        )
        packed = zlib.compress(msgspec.json.encode((table.columns, table.rows)), 1)
        self._store.put_many(
            ImportPart(
                import_id=staged.import_id,
                number=number,
                data=packed[start : start + PART_BYTES],
                expires_at=staged.expires_at,
            )
            for number, start in enumerate(range(0, len(packed), PART_BYTES))
        )
        self._store.create(staged)
        return self.get(staged.import_id)

    def get(self, import_id: str) -> Import:
        """Return an import, or raise NotFound."""
        found = self._context.find(Import.key, import_id, consistent=True)
        return check_found(found, "There is no such import. Uploads that are not applied expire.")

    def history(self, limit: int = 50, cursor: str | None = None) -> Page[Import]:
        """Return a page of the imports, newest first."""
        return self._store.page(patterns.imports(), limit, cursor=cursor, reverse=True)

    def choose(
        self,
        actor: User,
        import_id: str,
        *,
        columns: Mapping[str, str],
        skills: Mapping[str, str],
        duplicates: Duplicates,
        check: RevisionCheck = any_revision,
    ) -> Import:
        """Choose what the columns contain, and what to do with unknown skills and duplicates."""
        PERMISSIONS.check(actor.role, Permission.ADMINISTER)
        item = self.get(import_id)
        check(item.revision)
        categories = self._context.words().categories
        fields, actions = check_choices(columns, skills, self._read(item).columns, categories)
        used = {each[len(USE) :] for each in actions.values() if each.startswith(USE)}
        for missing in sorted(used - self._catalog.find_many(used).keys()):
            raise InvalidInput({"skills": f"The catalog has no skill “{missing[:50]}”."})
        if item.status is not ImportStatus.PREVIEW:
            raise InvalidInput({"": "This import was applied. Upload the file again."})
        return self._change(
            item,
            Import.columns.set(fields),
            Import.skills.set(actions),
            Import.duplicates.set(duplicates),
        )

    def _change(self, item: Import, *edits: Edit[Import]) -> Import:
        """Change an import, unless someone else did."""
        try:
            # A transaction is retried if the response is lost.
            with self._store.transaction(pattern=patterns.edit_import) as transaction:
                unchanged = Import.revision == item.revision
                transaction.update(key_of(item), *edits, if_=unchanged)
        except ConditionFailed:
            raise Busy("Someone else is changing this import. Try again.") from None
        return self.get(item.import_id)

    def _read(self, item: Import) -> Table:
        parts = self._store.run(patterns.import_parts, item.import_id)
        packed = b"".join(part.data for part in parts)
        if not packed:
            raise InvalidInput({"": "The rows of this import have expired. Upload the file again."})
        columns, rows = msgspec.json.decode(
            zlib.decompress(packed), type=tuple[tuple[str, ...], tuple[TableRow, ...]]
        )
        return Table(columns, rows)

    # -------------------------------------------------------------------------- preview

    def preview(self, import_id: str) -> ImportPreview:
        """Return what happens with every row, errors first."""
        item = self.get(import_id)
        headings: tuple[str, ...] = ()
        try:
            table = self._read(item)
            headings = table.columns
            plan = self._plan(item, table)
        except InvalidInput as error:
            return ImportPreview(headings, problem=str(error))
        results, names = plan.left, self._context.words().levels
        new = {
            each.username: each.profile.get("name", "")
            for each in plan.people
            if _key(each) not in plan.users
        }
        for person, current in self._with_skills(plan.people, plan.users):
            results += [
                RowResult(
                    each.row, each.outcome, person.username, each.skill.name, _describe(each, names)
                )
                for each in self._planned(item, person.skills.values(), current)
            ]
            outcome = Outcome.NEW if person.username in new else Outcome.DUPLICATE
            results += [RowResult(row, outcome, person.username) for row in person.others]
        order = {outcome: place for place, outcome in enumerate(Outcome)}
        results.sort(key=lambda each: (order[each.outcome], each.number))
        return ImportPreview(headings, results, new, plan.unknown)

    def _plan(self, item: Import, table: Table) -> _Plan:
        columns, words = dict(item.columns), self._context.words()
        if {"username", "name", "email"}.isdisjoint(columns.values()):
            text = "Choose the column that contains usernames, e-mail addresses or names."
            raise InvalidInput({"columns": text})
        table, summaries = leave_out_summaries(table, columns)
        accounts = self._store.hydrate(patterns.all_accounts())
        known = ((user.username, user.name, user.email) for user in accounts)
        table, columns = add_usernames(table, columns, known)
        rows, left, names = check_rows(table, columns, words.levels, self._context.today())
        aliases = [(normalize_alias(row.spelling), row.spelling) for row in rows if row.spelling]
        # Of several spellings, the first is shown.
        spellings = dict(reversed(aliases))
        skills = self._catalog.find_many(spellings)
        unknown = Counter(spellings[alias] for alias, _ in aliases if alias not in skills)
        chosen = {spelling: _action(item, spelling) for spelling in unknown}
        used = self._catalog.find_many({each[len(USE) :] for each in chosen.values()})
        for spelling, action in chosen.items():
            skill = used.get(action[len(USE) :]) if action.startswith(USE) else None
            skill = skill or _new_skill(spelling, action, words.categories)
            if skill is not None:
                skills[normalize_alias(spelling)] = skill
        users = self._context.get_users(row.username for row in rows)
        jobs: dict[str, str] = {}
        if any("job_role" in row.profile for row in rows):
            listed = self._store.select(patterns.all_roles(), JobRole.role_id, JobRole.name)
            for role_id, name in listed:
                jobs[role_id] = jobs[name.casefold()] = role_id
        people, others = group_rows(rows, names, skills, users, jobs)
        headings = {field: heading for heading, field in item.columns.items()}
        left += [replace(each, column=headings.get(each.column, each.column)) for each in others]
        for person in people:
            if _key(person) in users:
                person.username = users[_key(person)].username
        return _Plan(people, users, left + summaries, unknown)

    def _with_skills(
        self, people: Sequence[PersonRows], users: Mapping[str, User]
    ) -> Iterator[tuple[PersonRows, dict[str, UserSkill]]]:
        """Yield people with those of their skills that are imported, by id."""
        for start in range(0, len(people), _BATCH):
            batch = people[start : start + _BATCH]
            keys = [
                UserSkill.key(person.username, skill_id)
                for person in batch
                if _key(person) in users
                for skill_id in person.skills
            ]
            found: dict[str, dict[str, UserSkill]] = {}
            for skill in self._store.get_many(keys):
                if skill is not None:
                    found.setdefault(skill.username.casefold(), {})[skill.skill_id] = skill
            for person in batch:
                yield person, found.get(_key(person), {})

    def _planned(
        self,
        item: Import,
        rows: Iterable[tuple[int, SkillCells, Skill]],
        current: Mapping[str, UserSkill],
    ) -> list[PlannedSkill]:
        today = self._context.today()
        return [
            plan_skill(number, cells, skill, current.get(skill.skill_id), item.duplicates, today)
            for number, cells, skill in rows
        ]

    # -------------------------------------------------------------------------- apply

    def apply(self, actor: User, import_id: str, check: RevisionCheck = any_revision) -> Import:
        """Import everything without errors, or go on with that. Once it is done, do nothing."""
        PERMISSIONS.check(actor.role, Permission.ADMINISTER)
        item = self.get(import_id)
        if item.status is ImportStatus.APPLIED:
            return item
        if item.status not in (ImportStatus.PREVIEW, ImportStatus.APPLYING):
            raise InvalidInput({"": "This import was undone. Upload the file again."})
        table = self._read(item)
        plan = self._plan(item, table)
        categories = self._context.words().categories
        wanted = [_new_skill(each, _action(item, each), categories) for each in plan.unknown]
        new = [skill for skill in wanted if skill is not None]
        if item.status is ImportStatus.PREVIEW:
            check(item.revision)
            if len(new) > MAX_NEW_SKILLS:
                text = f"An import creates at most {MAX_NEW_SKILLS:,} skills, not {len(new):,}."
                raise InvalidInput({"": f"{text} Skip unknown skills, or split the file."})
            now = self._context.clock()
            item = self._change(
                item,
                Import.status.set(ImportStatus.APPLYING),
                Import.applied_at.set(now),
                Import.expires_at.set(now + timedelta(days=HISTORY_DAYS)),
            )
        for skill in new:
            self._create_skill(item, skill)
        if new:
            plan = self._plan(item, table)
        done = {(each.username.casefold(), each.number) for each in self._records(item)}
        for person, current in self._with_skills(plan.people, plan.users):
            user = plan.users.get(_key(person))
            rows = list(person.skills.values())
            for number, start in enumerate(range(0, len(rows) or 1, SKILLS_PER_TRANSACTION)):
                if (_key(person), number) not in done:
                    part = rows[start : start + SKILLS_PER_TRANSACTION]
                    user = self._apply_part(item, person, number, part, user, current)
        return self._finish(item, plan)

    def _create_skill(self, item: Import, skill: Skill) -> None:
        """Create a skill, unless someone else did. If only its id is taken, rows are left out."""
        try:
            with self._store.transaction(pattern=patterns.import_skill) as transaction:
                transaction.create(skill)
                for alias in spellings_of(skill):
                    transaction.create(SkillAlias(alias=alias, skill_id=skill.skill_id))
                transaction.update(
                    Import.key(item.import_id),
                    Import.created_skills.append(skill.skill_id),
                    if_=Import.status == ImportStatus.APPLYING,
                )
        except ConditionFailed as error:
            _check_running(error)

    def _apply_part(
        self,
        item: Import,
        person: PersonRows,
        number: int,
        rows: Sequence[tuple[int, SkillCells, Skill]],
        user: User | None,
        current: Mapping[str, UserSkill],
    ) -> User | None:
        """Import some skills of a person in one transaction. Return the person."""
        for _ in range(ATTEMPTS):
            planned = [
                each
                for each in self._planned(item, rows, current)
                if each.outcome is not Outcome.DUPLICATE
            ]
            if user is not None and not planned:
                return user
            written = user or _new_user(person)
            try:
                self._write(item, number, planned, written, is_new=user is None)
            except ConditionFailed as error:
                if isinstance(error.current, ImportedPerson):
                    return self._context.get_user(person.username, consistent=True)
                _check_running(error)
            except TransactionConflict:
                break
            else:
                return written
            user = self._context.find_user(person.username, consistent=True)
            person.username = user.username if user else person.username
            keys = [UserSkill.key(person.username, skill.skill_id) for _, _, skill in rows]
            found = self._store.get_many(keys, consistent=True)
            current = {each.skill_id: each for each in found if each is not None}
            skills = self._store.get_many(
                [patterns.skill(skill.skill_id) for _, _, skill in rows], consistent=True
            )
            # A skill that was deleted or merged meanwhile is left out.
            rows = [
                (row, cells, skill)
                for (row, cells, _), skill in zip(rows, skills, strict=True)
                if skill is not None and not skill.merged_into
            ]
        raise Busy("Others are changing the same people or skills. Continue the import.")

    def _write(
        self,
        item: Import,
        number: int,
        planned: Sequence[PlannedSkill],
        user: User,
        *,
        is_new: bool,
    ) -> None:
        skills = [
            ImportedSkill(
                each.skill.skill_id,
                each.skill.name,
                each.after,
                values_of(each.before) if each.before else None,
            )
            for each in planned
        ]
        record = ImportedPerson(
            import_id=item.import_id,
            username=user.username,
            number=number,
            user_id=user.user_id if is_new else 0,
            skills=skills,
            expires_at=self._context.clock() + timedelta(days=UNDO_DAYS),
        )
        with self._store.transaction(pattern=patterns.import_person) as transaction:
            # The first failed condition is the one that is reported.
            transaction.create(record)
            is_running = Import.status == ImportStatus.APPLYING
            transaction.check(Import.key(item.import_id), is_running)
            if is_new:
                transaction.create(user)
            else:
                transaction.check(User.key(user.username), IS_HERE)
            for each in planned:
                skill, before = each.skill, each.before
                # A skill that is renamed or merged right now has changed its revision.
                transaction.check(Skill.key(skill.skill_id), Skill.revision == skill.revision)
                after = UserSkill(
                    username=user.username,
                    skill_id=skill.skill_id,
                    skill_name=skill.name,
                    **vars(each.after),
                )
                write_skill(transaction, before, after)
                if is_rated_anew(before, after):
                    at = _rated_at(item)
                    self._user_skills.write_ratings(transaction, user, before, after, at)

    def _finish(self, item: Import, plan: _Plan) -> Import:
        records = self._records(item)
        written = [skill for each in records for skill in each.skills]
        added = sum(skill.before is None for skill in written)
        rows = sum(len(person.skills) for person in plan.people)
        totals = {
            "people": sum(each.user_id != 0 for each in records),
            "added": added,
            "changed": len(written) - added,
            "unchanged": max(0, rows - len(written)),
            "errors": len({(each.number, each.skill) for each in plan.left}),
        }
        return self._end(item, ImportStatus.APPLYING, ImportStatus.APPLIED, totals)

    def _end(
        self, item: Import, before: ImportStatus, after: ImportStatus, totals: dict[str, int]
    ) -> Import:
        """Set the last state, unless another process did so already."""
        with (
            suppress(ConditionFailed),
            self._store.transaction(pattern=patterns.edit_import) as transaction,
        ):
            transaction.update(
                key_of(item),
                Import.status.set(after),
                Import.totals.set({**item.totals, **totals}),
                if_=Import.status == before,
            )
        return self.get(item.import_id)

    def _records(self, item: Import) -> list[ImportedPerson]:
        selection = ImportedPerson.key.partition(item.import_id)
        return list(self._store.query(selection, consistent=True))

    # -------------------------------------------------------------------------- undo

    def undo(self, actor: User, import_id: str, check: RevisionCheck = any_revision) -> Import:
        """Restore what was before an import, except for what someone has changed since."""
        PERMISSIONS.check(actor.role, Permission.ADMINISTER)
        item = self.get(import_id)
        if item.status is ImportStatus.UNDONE:
            return item
        if item.status is ImportStatus.PREVIEW or item.applied_at is None:
            raise InvalidInput({"": "This import was not applied, so there is nothing to undo."})
        if self._context.clock() >= item.applied_at + timedelta(days=UNDO_DAYS):
            raise InvalidInput({"": f"An import can be undone for {UNDO_DAYS} days."})
        if item.status is not ImportStatus.UNDOING:
            check(item.revision)
            item = self._change(item, Import.status.set(ImportStatus.UNDOING))
        records = self._records(item)
        for record in records:
            if not record.is_undone:
                self._undo_record(record, _rated_at(item))
        members = {
            name.casefold()
            for team in self._store.run(patterns.teams)
            for name in (team.created_by, *team.members)
        }
        for record in self._records(item):
            if record.user_id and not self._remove_person(record, members):
                self._keep_person(record)
        for skill_id in item.created_skills:
            self._remove_skill(actor, skill_id)
        kept = len(self.kept(item))
        return self._end(item, ImportStatus.UNDOING, ImportStatus.UNDONE, {"kept": kept})

    def kept(self, item: Import) -> list[str]:
        """Return what was not undone, because someone had changed it."""
        if item.status not in (ImportStatus.UNDOING, ImportStatus.UNDONE):
            return []
        return [f"{each.username}: {name}" for each in self._records(item) for name in each.kept]

    @retry_conflicts(
        also=[TransactionConflict],
        otherwise=lambda: Busy("Others are changing the same people or skills. Undo again."),
    )
    def _undo_record(self, record: ImportedPerson, rated_at: datetime) -> None:
        user = self._context.find_user(record.username, consistent=True)
        keys = [UserSkill.key(record.username, each.skill_id) for each in record.skills]
        # Someone who was renamed or deleted keeps everything.
        found = self._store.get_many(keys, consistent=True) if user else []
        now = {each.skill_id: each for each in found if each is not None}
        undone = [each for each in record.skills if _is_unchanged(each, now.get(each.skill_id))]
        user_id = user.user_id if user else 0
        try:
            with self._store.transaction(pattern=patterns.undo_import) as transaction:
                for each in undone:
                    _restore(transaction, each, now[each.skill_id])
                    transaction.delete(Rating.key(user_id, each.skill_id, rated_at))
                transaction.update(
                    key_of(record),
                    ImportedPerson.is_undone.set(True),
                    ImportedPerson.kept.set([e.name for e in record.skills if e not in undone]),
                    if_=ImportedPerson.is_undone == False,  # noqa: E712
                )
        except ConditionFailed as error:
            # Another process may have undone it.
            if not isinstance(error.current, ImportedPerson):
                raise

    def _remove_person(self, record: ImportedPerson, members: Container[str]) -> bool:
        """Delete a person created by the import. Return False if the account is in use by now."""
        user = self._context.find_user(record.username, consistent=True)
        if user is None or user.user_id != record.user_id:
            return True
        if user.username.casefold() in members or self._has_items(user):
            return False
        try:
            with self._store.transaction(pattern=patterns.remove_imported) as transaction:
                transaction.delete(key_of(user), if_=User.revision == 1)
        except ConditionFailed:
            return False
        if self._has_items(user):
            # Something was added just before.
            self._store.create(user)
            return False
        return True

    def _has_items(self, user: User) -> bool:
        skills = patterns.skills_of_user(user.username)
        if list(self._store.query(skills, limit=1, consistent=True)):
            return True
        entries = patterns.entries_of_user(user.username)
        return any(vars(self._store.collect(Entries, entries, consistent=True)).values())

    def _keep_person(self, record: ImportedPerson) -> None:
        if ACCOUNT not in record.kept:
            with self._store.transaction(pattern=patterns.undo_import) as transaction:
                transaction.update(key_of(record), ImportedPerson.kept.append(ACCOUNT))

    def _remove_skill(self, actor: User, skill_id: str) -> None:
        """Delete a skill that the import has created, unless it is used or was changed since."""
        skill = self._store.get(patterns.skill(skill_id), consistent=True)
        if skill is not None and skill.revision == 1:
            with suppress(InUse, NotFound):
                self._catalog.delete(actor, skill_id)


def _read_sheet(data: bytes) -> Table:
    """Return the table of a file. Titles and groups of columns may be above the headings."""
    try:
        return read_table(data, is_heading=names_people)
    except SpreadsheetError:
        return read_table(data)


def _rated_at(item: Import) -> datetime:
    """Return when the ratings of an import were made: the same moment whenever it is resumed."""
    return item.applied_at or item.uploaded_at


def _new_user(person: PersonRows) -> User:
    profile: dict[str, Any] = {**person.profile}
    return User(username=person.username, user_id=new_user_id(), **profile)


def _restore(transaction: Transaction, each: ImportedSkill, now: UserSkill) -> None:
    if each.before is None:
        transaction.delete(key_of(now), if_=UserSkill.revision == now.revision)
        count(transaction, now.skill_id, removed=now.level)
    else:
        write_skill(transaction, now, evolve(now, **vars(each.before)))


def _is_unchanged(each: ImportedSkill, now: UserSkill | None) -> bool:
    """Return whether a skill is as the import has left it. Endorsements of a new one count."""
    if now is None or values_of(now) != each.after:
        return False
    return each.before is not None or now.endorsements == 0


def _describe(each: PlannedSkill, names: Mapping[Level, str]) -> str:
    level = names[each.after.level]
    if each.before is None:
        return level
    if each.outcome is Outcome.DUPLICATE:
        return f"stays {level}"
    return f"{names[each.before.level]} becomes {level}"


def _key(person: PersonRows) -> str:
    return person.username.casefold()


def _action(item: Import, spelling: str) -> str:
    """Return what to do with a spelling that means no skill."""
    return item.skills.get(normalize_alias(spelling)) or item.skills.get("", SKIP)


def _new_skill(spelling: str, action: str, categories: Sequence[str]) -> Skill | None:
    """Return the skill to create, or None if none is wanted or the name cannot be one."""
    if not action.startswith(CREATE):
        return None
    with suppress(InvalidInput):
        edit = SkillEdit(spelling, category=action.removeprefix(CREATE))
        return check_skill(edit, categories)
    return None


def _check_running(error: ConditionFailed) -> None:
    """Raise Busy if a write failed because another process has ended the import."""
    if isinstance(error.current, Import):
        raise Busy("The import was ended meanwhile.") from error
