"""Jobs: the level of each skill that they need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from secrets import token_hex

from singletable import AlreadyExists as ItemExists
from singletable import Transaction, retry_conflicts
from singletable_apps.shared.errors import AlreadyExists
from singletable_apps.shared.service import RevisionCheck, any_revision, check_found
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns, rules
from singletable_apps.skills.entities import JobRole, Level, Skill, User
from singletable_apps.skills.search_rules import explain_unknown
from singletable_apps.skills.service.catalog import MAX_DESCRIPTION, Part
from singletable_apps.skills.service.context import busy, edits_of

MAX_TARGETS = 50


@dataclass(frozen=True)
class RoleEdit:
    """What a manager enters for a job. Skills can have any spelling."""

    name: str
    description: str = ""
    targets: Mapping[str, Level] = field(default_factory=dict[str, Level])


class Roles(Part):
    """Jobs with their targets."""

    def list(self) -> list[JobRole]:
        """Return all jobs by name."""
        return list(self._store.run(patterns.all_roles))

    def get(self, role_id: str, *, consistent: bool = False) -> JobRole:
        """Return a job, or raise NotFound."""
        role = self._context.find(JobRole.key, role_id, consistent=consistent)
        return check_found(role, "There is no such job.")

    @retry_conflicts(otherwise=busy("this job or its skills"))
    def create(self, actor: User, edit: RoleEdit) -> JobRole:
        """Create a job. Its id is derived from its name."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.PLAN)
        role = self._check(edit, rules.derive_skill_id(edit.name[: rules.MAX_NAME]) or token_hex(4))
        try:
            with self._store.transaction(pattern=patterns.create_role) as transaction:
                transaction.create(role)
                _check_targets(transaction, role)
        except ItemExists as error:
            raise AlreadyExists({"name": "There is already a job with this name."}) from error
        return self.get(role.role_id, consistent=True)

    @retry_conflicts(otherwise=busy("this job or its skills"))
    def edit(
        self, actor: User, role_id: str, edit: RoleEdit, check: RevisionCheck = any_revision
    ) -> JobRole:
        """Change a job. Its id stays."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.PLAN)
        before = self.get(role_id, consistent=True)
        check(before.revision)
        role = self._check(edit, before.role_id)
        with self._store.transaction(pattern=patterns.edit_role) as transaction:
            transaction.update(
                JobRole.key(role.role_id),
                *edits_of(role, "name", "description", "targets"),
                if_=JobRole.revision == before.revision,
            )
            _check_targets(transaction, role)
        return self.get(role.role_id, consistent=True)

    @retry_conflicts(otherwise=busy("this job or its skills"))
    def delete(self, actor: User, role_id: str, check: RevisionCheck = any_revision) -> JobRole:
        """Delete a job and return it as it was. Its people are shown without one."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.PLAN)
        role = self.get(role_id, consistent=True)
        check(role.revision)
        self._store.delete(JobRole.key(role.role_id), if_=JobRole.revision == role.revision)
        return role

    def _check(self, edit: RoleEdit, role_id: str) -> JobRole:
        checks = InputChecks()
        name = checks.line("name", edit.name, longest=rules.MAX_NAME, required=True)
        description = checks.text("description", edit.description, longest=MAX_DESCRIPTION)
        targets: dict[str, Level] = {}
        if len(edit.targets) > MAX_TARGETS:
            checks.reject(
                "targets", f"Use at most {MAX_TARGETS} skills; there are {len(edit.targets)}."
            )
        else:
            found = self._catalog.find_many(edit.targets)
            for spelling, level in edit.targets.items():
                if spelling not in found:
                    names = [each.name for each in self._catalog.list_names()]
                    checks.reject("targets", explain_unknown(spelling, names))
                    break
                skill_id = found[spelling].skill_id
                levels = (level, targets.get(skill_id, level))
                targets[skill_id] = max(levels, key=rules.RANKS.__getitem__)
        checks.raise_errors()
        return JobRole(role_id=role_id, name=name, description=description, targets=targets)


def _check_targets(transaction: Transaction, role: JobRole) -> None:
    """Let the transaction fail if one of the skills is being merged or deleted."""
    for skill_id in role.targets:
        transaction.check(Skill.key(skill_id), Skill.merged_into == "")
