"""Endorsements: someone confirms a skill of someone else, once, and can withdraw it.

The endorsement and the count on the skill are one transaction, so the count is right however many
people endorse at once, and however often a request is repeated.
"""

from __future__ import annotations

from collections.abc import Iterable

from singletable import AlreadyExists as ItemExists
from singletable import Page, TransactionConflict, retry_conflicts
from singletable_apps.shared.errors import Busy
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Endorsement, User, UserSkill
from singletable_apps.skills.rules import check_not_self
from singletable_apps.skills.service.context import IS_HERE, Context
from singletable_apps.skills.service.user_skills import UserSkills


class Endorsements:
    """Endorsements of the skills of people."""

    def __init__(self, context: Context, user_skills: UserSkills) -> None:
        self._store = context.store
        self._user_skills = user_skills

    def endorse(self, actor: User, username: str, spelling: str) -> UserSkill:
        """Endorse a skill of someone else. Nothing changes if the actor has done so already."""
        check_not_self(actor, username)
        return self._change(actor, username, spelling, is_endorsed=True)

    def withdraw(self, actor: User, username: str, spelling: str) -> UserSkill:
        """Withdraw an endorsement. Nothing changes if there is none."""
        check_not_self(actor, username)
        return self._change(actor, username, spelling, is_endorsed=False)

    def list(
        self, username: str, spelling: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Endorsement]:
        """Return the endorsements of a skill of a person, by the endorser's username."""
        skill = self._user_skills.get(username, spelling)
        selection = patterns.endorsers(skill.username, skill.skill_id)
        return self._store.page(selection, limit, cursor=cursor)

    def endorsed_by(self, actor: User, skills: Iterable[UserSkill]) -> frozenset[str]:
        """Return the ids of those skills of one person that the actor endorses."""
        keys = [
            Endorsement.key(skill.username, skill.skill_id, actor.username)
            for skill in skills
            if skill.endorsements
        ]
        # Consistent, so that someone who has just clicked sees it.
        found = self._store.get_many(keys, consistent=True)
        return frozenset(each.skill_id for each in found if each is not None)

    # The skill or the account may be changed, or many people endorse it.
    @retry_conflicts(
        also=[TransactionConflict],
        otherwise=lambda: Busy("Many people endorse this skill right now. Try again."),
    )
    def _change(self, actor: User, username: str, spelling: str, *, is_endorsed: bool) -> UserSkill:
        skill = self._user_skills.get(username, spelling)
        given = Endorsement(
            username=skill.username, skill_id=skill.skill_id, endorser=actor.username
        )
        try:
            if is_endorsed:
                self._add(given)
            elif not self._remove(given):
                return skill
        except ItemExists:
            return skill
        return self._user_skills.get(username, spelling)

    def _add(self, given: Endorsement) -> None:
        with self._store.transaction(pattern=patterns.endorse) as transaction:
            transaction.check(User.key(given.endorser), IS_HERE)
            transaction.create(given)
            transaction.update(
                UserSkill.key(given.username, given.skill_id), UserSkill.endorsements.add(1)
            )

    def _remove(self, given: Endorsement) -> bool:
        """Return whether there was an endorsement to remove."""
        key = Endorsement.key(given.username, given.skill_id, given.endorser)
        if self._store.get(key, consistent=True) is None:
            return False
        with self._store.transaction(pattern=patterns.withdraw_endorsement) as transaction:
            transaction.delete(key, if_=Endorsement.endorser.exists())
            transaction.update(
                UserSkill.key(given.username, given.skill_id), UserSkill.endorsements.add(-1)
            )
        return True
