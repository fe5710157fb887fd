"""The skills of people: add, rate, endorse and remove them, and count how many people have each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from datetime import date, datetime, timedelta
from typing import Any

from singletable import AlreadyExists as ItemExists
from singletable import (
    ConditionFailed,
    InvalidCursor,
    ItemMismatch,
    Page,
    Selection,
    Transaction,
    TransactionConflict,
    evolve,
    key_of,
    retry_conflicts,
)
from singletable import NotFound as ItemNotFound
from singletable_apps.shared.errors import AlreadyExists, Busy, InvalidInput, NotFound
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.service import RevisionCheck, any_revision, check_found
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns, rules
from singletable_apps.skills.entities import (
    Endorsement,
    Level,
    Profile,
    Rating,
    Request,
    Role,
    Skill,
    SkillValues,
    Source,
    User,
    UserSkill,
)
from singletable_apps.skills.service.catalog import Part, SkillEdit, check_skill, count
from singletable_apps.skills.service.context import IS_HERE, Context, busy, edits_of
from singletable_apps.skills.service.notices import Notices

# How many endorsements one transaction deletes, besides the skill and its count.
_BATCH = 90

# Returns what someone enters, from what is stored.
DraftChange = Callable[[rules.SkillDraft], rules.SkillDraft]


class UserSkills(Part):
    """The skills of people. A change of a level and the counts of a skill are one transaction."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._notices = Notices(context)

    def list(self, username: str) -> list[UserSkill]:
        """Return the skills of a person, by id."""
        user = self._context.get_user(username)
        return list(self._store.run(patterns.skills_of_user, user.username))

    def profile(self, username: str) -> Profile:
        """Return a person with all skills, by one query; also by a former username."""
        if rules.is_key(username):
            # Skills of someone who was renamed or deleted may still be there for a moment.
            with suppress(ItemNotFound, ItemMismatch):
                profile = self._store.collect(Profile, patterns.user_with_skills(username))
                if not profile.user.left_at:
                    return profile
            former = self._store.run(patterns.former_username, username)
            user = self._store.run(patterns.user_by_id, former.user_id) if former else None
            if user is not None:
                return self.profile(user.username)
        raise NotFound("There is no such person. The account may have been deleted.")

    def list_people(
        self,
        spelling: str,
        level: Level | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[UserSkill]:
        """Return the people with a skill, at one level or all, the highest level first."""
        skill_id = self._catalog.get(spelling).skill_id
        selection: Selection[UserSkill] = patterns.users_with_skill(skill_id)
        if level is not None:
            selection = patterns.users_at_exact_level(skill_id, level)
        return self._store.page(selection, limit, reverse=True, cursor=cursor)

    def list_best(
        self,
        spelling: str,
        level: Level | None = None,
        *,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[UserSkill]:
        """Return the same people by level, years and day of last use, the best first.

        GSI2 has them in this order, by level: a page reads as many items as it returns.
        """
        skill = self._catalog.get(spelling)
        if skill.previous_name:
            # GSI2 has it under two names.
            return self.list_people(spelling, level, limit=limit, cursor=cursor)
        rank, _, within = (cursor or f"{rules.RANKS[level or Level.EXPERT]}.").partition(".")
        if rank not in map(str, rules.RANKS.values()):
            raise InvalidCursor("The cursor is not of this list.")
        found: list[UserSkill] = []
        for each in [level] if level else [*reversed(rules.LEVELS[: int(rank)])]:
            page = self._store.page(
                patterns.users_with_years(skill.name, each, 0),
                limit - len(found),
                reverse=True,
                cursor=within or None,
            )
            found += page.items
            if page.cursor is not None:
                return Page(found, f"{rules.RANKS[each]}.{page.cursor}")
            if len(found) == limit and each not in (level, Level.BEGINNER):
                return Page(found, f"{rules.RANKS[each] - 1}.")
            within = ""
        return Page(found, None)

    def get(self, username: str, spelling: str) -> UserSkill:
        """Return a skill of a person, or raise NotFound."""
        return self._of(self._context.get_user(username), spelling)

    def _of(self, user: User, spelling: str) -> UserSkill:
        skill = self._catalog.get(spelling)
        if skill.merging and not self.find(user.username, skill.skill_id):
            # The skill of this person is not merged yet.
            return self._get(user.username, skill.merging)
        return self._get(user.username, skill.skill_id)

    def add(self, actor: User, username: str, spelling: str, draft: rules.SkillDraft) -> UserSkill:
        """Add a skill of the catalog that a person does not have yet."""
        self._context.check_reach(actor, username)
        user, skill = self._context.get_user(username), self._catalog.get(spelling)
        checked = rules.check_skill_draft(draft, self._context.today())
        added = UserSkill(
            username=user.username,
            skill_id=skill.skill_id,
            skill_name=skill.name,
            **_entered(checked),
            **_rater(actor, user),
        )
        try:
            with self._store.transaction(pattern=patterns.add_user_skill) as transaction:
                transaction.check(User.key(user.username), IS_HERE)
                # A skill that is renamed or merged right now has changed its revision.
                transaction.check(Skill.key(skill.skill_id), Skill.revision == skill.revision)
                write_skill(transaction, None, added)
                now = self._context.clock()
                self.write_ratings(transaction, user, None, added, now, checked.evidence)
        except ItemExists as error:
            text = f"{user.name} already has the skill {skill.name}."
            raise AlreadyExists({"skill_name": text}) from error
        except ConditionFailed:
            raise Busy("This person or skill is being changed right now. Try again.") from None
        self._notify(actor, user, added)
        return self._get(user.username, skill.skill_id)

    @retry_conflicts(otherwise=busy("this skill"))
    def edit(
        self,
        actor: User,
        username: str,
        spelling: str,
        draft: rules.SkillDraft | DraftChange,
        check: RevisionCheck = any_revision,
        *,
        is_rating: bool = False,
    ) -> UserSkill:
        """Change a skill of a person: all of it, or what a function changes.

        What a manager changes is the manager's rating. The latest rating counts; all are kept. With
        `is_rating`, people also agree with the level that a manager has rated.
        """
        self._context.check_reach(actor, username)
        user = self._context.get_user(username)
        before = self._of(user, spelling)
        check(before.revision)
        entered = draft if isinstance(draft, rules.SkillDraft) else draft(draft_of(before))
        checked = rules.check_skill_draft(entered, self._context.today())
        after = rated = evolve(before, **_entered(checked), **_rater(actor, user))
        is_own = rules.is_same_user(actor.username, user.username)
        if is_own and after.level is before.level:
            after = evolve(after, source=before.source, rated_by=before.rated_by)
        with self._store.transaction(pattern=patterns.edit_user_skill) as transaction:
            write_skill(transaction, before, after)
            is_agreed = is_rating and before.source is Source.MANAGER
            if not is_own or checked.evidence or is_agreed or is_rated_anew(before, after):
                now = self._context.clock()
                self.write_ratings(transaction, user, before, rated, now, checked.evidence)
        self._notify(actor, user, rated)
        return self._get(before.username, before.skill_id)

    def rate(
        self,
        actor: User,
        username: str,
        skill_id: str,
        level: Level | None,
        years: int,
        last_used: date | None = None,
    ) -> UserSkill | None:
        """Set the level and the years of a skill: add it, change it, or without a level remove it.

        Only what one has rated oneself is removed, without notes and endorsements: `add` can undo
        that. `last_used` is of a skill that is added.
        """
        self._context.check_reach(actor, username)
        user = self._context.get_user(username)
        before = self.find(user.username, skill_id) if rules.is_key(skill_id) else None
        if level is None:
            if before is None:
                return None
            ratings = self.ratings(user, before.skill_id)
            authors = {before.rated_by, *(each.author for each in ratings)}
            is_own = all(rules.is_same_user(each or username, actor.username) for each in authors)
            if before.endorsements or before.notes or not is_own:
                text = "Others have rated or endorsed this skill, or it has notes"
                raise InvalidInput({"level": f"{text}. Remove it on its page."})
            return self.remove(actor, username, skill_id)
        if before is None:
            return self.add(actor, username, skill_id, rules.SkillDraft(level, years, last_used))
        values: dict[str, Any] = {"level": level, "years": years}
        return self.edit(
            actor, username, skill_id, lambda draft: replace(draft, **values), is_rating=True
        )

    @retry_conflicts(otherwise=busy("this skill"))
    def take_back(self, actor: User, username: str, skill_id: str) -> UserSkill:
        """Undo the latest rating of a skill, if it is the actor's: the one before counts again."""
        self._context.check_reach(actor, username)
        user = self._context.get_user(username)
        before, ratings = self._get(user.username, skill_id), self.ratings(user, skill_id)
        if len(ratings) < 2 or not rules.is_same_user(ratings[-1].author, actor.username):
            raise InvalidInput({"level": "Your rating is not the latest one of this skill."})
        was, last = ratings[-2:]
        rated_by = was.author if was.source is Source.MANAGER else ""
        values = {"level": was.level, "years": was.years, "source": was.source}
        with self._store.transaction(pattern=patterns.take_back) as transaction:
            write_skill(transaction, before, evolve(before, **values, rated_by=rated_by))
            transaction.delete(key_of(last))
        return self._get(before.username, before.skill_id)

    def ratings(self, user: User, skill_id: str = "") -> Sequence[Rating]:
        """Return the ratings of a person, of one skill or of all, the oldest of a skill first."""
        found = self._store.query(patterns.ratings_of_user(user.user_id), consistent=True)
        return [each for each in found if skill_id in ("", each.skill_id)]

    def write_ratings(
        self,
        transaction: Transaction,
        user: User,
        before: UserSkill | None,
        after: UserSkill,
        at: datetime,
        evidence: str = "",
    ) -> None:
        """Add a skill to the history of ratings; with the first change, also what was before."""
        transaction.put(_rating(user, after, at, evidence))
        if before is not None and not self.ratings(user, before.skill_id):
            transaction.put(_rating(user, before, before.created_at))

    def _notify(self, actor: User, user: User, skill: UserSkill, *, did: str = "rated") -> None:
        """Tell someone about a rating or removal by another person, at most four times an hour."""
        if rules.is_same_user(actor.username, user.username):
            return
        text = f"{actor.name} {did} your skill {skill.skill_name}"
        if did == "rated":
            level = self._context.words().levels[skill.level]
            text += f": {level}. Your own rating, if there is one, stays beside it"
        text += ". We tell you at most four times an hour, so there may be more by now. See all"
        now, link = self._context.clock(), self._context.urls.person(user.username)
        about = (did, f"{now:%Y%m%d%H}-{now.minute // 15}")
        subject = f"{actor.name} {did} {skill.skill_name}"
        self._notices.send([(user, about, subject, text, link)])

    @retry_conflicts(otherwise=busy("this skill"))
    def remove(
        self, actor: User, username: str, spelling: str, check: RevisionCheck = any_revision
    ) -> UserSkill:
        """Remove a skill from a person with its endorsements, and tell them. Return it."""
        self._context.check_reach(actor, username)
        before = self.get(username, spelling)
        check(before.revision)
        self.delete(before)
        self._notify(actor, self._context.get_user(before.username), before, did="removed")
        return before

    def delete(self, skill: UserSkill) -> None:
        """Delete a skill of a person that was just read, or raise ConditionFailed if it changed.

        Up to 90 endorsements are deleted with it in one transaction. If there are more, the others
        are deleted first, and the count is lowered with them, so that a call which was interrupted
        leaves a skill with the right count, and can be repeated.
        """
        key, revision = UserSkill.key(skill.username, skill.skill_id), skill.revision
        endorsements = patterns.endorsers(skill.username, skill.skill_id)
        while True:
            # A new endorsement changes the revision, so none is missed.
            found = list(self._store.query(endorsements, limit=_BATCH + 1, consistent=True))
            if len(found) <= _BATCH:
                break
            with self._store.transaction(pattern=patterns.withdraw_endorsement) as transaction:
                for each in found[:_BATCH]:
                    transaction.delete(key_of(each))
                fewer = UserSkill.endorsements.add(-_BATCH)
                transaction.update(key, fewer, if_=UserSkill.revision == revision)
            revision += 1
        with self._store.transaction(pattern=patterns.remove_user_skill) as transaction:
            for each in found:
                transaction.delete(key_of(each))
            transaction.delete(key, if_=UserSkill.revision == revision)
            count(transaction, skill.skill_id, removed=skill.level)

    def find(self, username: str, skill_id: str) -> UserSkill | None:
        """Return a skill of an existing person by its id, or None."""
        return self._store.get(patterns.user_skill(username, skill_id), consistent=True)

    def _get(self, username: str, skill_id: str) -> UserSkill:
        found = self.find(username, skill_id)
        return check_found(found, f"{username} does not have this skill.")


class Endorsements(Part):
    """Endorsements: someone confirms a skill of someone else, once, and can withdraw it.

    The endorsement and the count on the skill are one transaction, so the count is right however
    many people endorse at once, and however often a request is repeated.
    """

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._user_skills = UserSkills(context)

    def endorse(self, actor: User, username: str, spelling: str) -> UserSkill:
        """Endorse a skill of someone else. Nothing changes if the actor has done so already."""
        return self._change(actor, username, spelling, is_endorsed=True)

    def withdraw(self, actor: User, username: str, spelling: str) -> UserSkill:
        """Withdraw an endorsement. Without one, nothing changes."""
        return self._change(actor, username, spelling, is_endorsed=False)

    def list(
        self, username: str, spelling: str, *, limit: int = 50, cursor: str | None = None
    ) -> Page[Endorsement]:
        """Return the endorsements of a skill of a person, by the endorser's username."""
        skill = self._user_skills.get(username, spelling)
        selection = patterns.endorsers(skill.username, skill.skill_id)
        return self._store.page(selection, limit, cursor=cursor)

    def endorsed_by(self, actor: User, skills: Iterable[UserSkill]) -> frozenset[str]:
        """Return the ids of one person's skills that the actor endorses."""
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
        rules.check_not_self(actor, username)
        skill = self._user_skills.get(username, spelling)
        names = {"username": skill.username, "skill_id": skill.skill_id}
        given, counted = Endorsement(**names, endorser=actor.username), key_of(skill)
        if (self._store.get(key_of(given), consistent=True) is not None) == is_endorsed:
            return skill
        pattern = patterns.endorse if is_endorsed else patterns.withdraw_endorsement
        with suppress(ItemExists), self._store.transaction(pattern=pattern) as transaction:
            if is_endorsed:
                transaction.check(User.key(given.endorser), IS_HERE)
                transaction.create(given)
            else:
                transaction.delete(key_of(given), if_=Endorsement.endorser.exists())
            transaction.update(counted, UserSkill.endorsements.add(1 if is_endorsed else -1))
        return self._user_skills.get(username, spelling)


# The recipient of suggestions, how many of them may wait, and for how many days.
ADMINISTRATORS, MAX_SUGGESTIONS, REQUEST_DAYS = 0, 500, 180


class Requests(Part):
    """What people ask of each other: to endorse a skill, or of administrators, to add one.

    Doing so is the answer. Otherwise, a request is declined, or expires.
    """

    def __init__(self, context: Context, notices: Notices) -> None:
        super().__init__(context)
        self._notices = notices

    def list(self, actor: User) -> Mapping[str, tuple[Request, User]]:
        """Return what is asked of someone with its author, by id. Deleted people are left out."""
        to = [actor.user_id, *([ADMINISTRATORS] if actor.role is Role.ADMIN else [])]
        return {
            f"{each.recipient}-{each.author}-{each.skill_id}": (each, author)
            for one in to
            for each in self._store.run(patterns.requests, one)
            for author in [self._store.run(patterns.user_by_id, each.author)]
            if author is not None and not self._is_met(each, author, actor)
        }

    def _is_met(self, request: Request, author: User, actor: User) -> bool:
        if request.recipient == ADMINISTRATORS:
            return self._catalog.find(request.name) is not None
        key = Endorsement.key(author.username, request.skill_id, actor.username)
        return self._store.get(key, consistent=True) is not None

    def settle(self) -> None:
        """Notify the authors of suggestions that are in the catalog now."""
        for each in [*self._store.run(patterns.requests, ADMINISTRATORS)]:
            if skill := self._catalog.find(each.name):
                self._tell(each, f"is in the catalog: {skill.name}")

    def _tell(self, request: Request, text: str) -> None:
        """Tell the author of a suggestion what became of it, and delete it."""
        subject, link = f"Your suggestion {request.name}", self._context.urls.page("catalog")
        about = (f"suggestion-{request.skill_id}", f"answer-{request.created_at:%Y%m%d%H%M%S}")
        if author := self._store.run(patterns.user_by_id, request.author):
            email = (author, about, f"{subject} was answered", f"{subject} {text}", link)
            self._notices.send([email])
        self._store.delete(key_of(request))

    def ask(self, actor: User, spelling: str, colleague: str) -> Request:
        """Ask a colleague to endorse one of your skills, and tell them by e-mail, once."""
        rules.check_not_self(actor, colleague)
        user = self._context.get_user(colleague)
        skill = UserSkills(self._context).get(actor.username, spelling)
        text = f"{actor.name} asks you to endorse the skill {skill.skill_name}"
        about = (f"endorse-{actor.user_id}-{skill.skill_id}", "ask")
        link = self._context.urls.person(actor.username, "skills", skill.skill_id)
        self._notices.send([(user, about, text, text, link)])
        return self._put(actor, user.user_id, skill.skill_id, skill.skill_name)

    def suggest(self, actor: User, name: str, text: str = "") -> Request:
        """Suggest a new skill for the catalog. `text` says what the skill is good for."""
        checks = InputChecks()
        text = checks.text("text", text, longest=rules.MAX_NOTES)
        if found := self._catalog.find(name):
            checks.reject("skill_name", f"The catalog has it already: {found.name}.")
        elif self._store.count(patterns.requests(ADMINISTRATORS)) >= MAX_SUGGESTIONS:
            checks.reject("skill_name", "Too many suggestions wait for an answer. Try again later.")
        checks.raise_errors()
        skill = check_skill(SkillEdit(name), self._context.words().categories)
        return self._put(actor, ADMINISTRATORS, skill.skill_id, skill.name, text)

    def _put(self, actor: User, to: int, skill_id: str, name: str, text: str = "") -> Request:
        what = {"skill_id": skill_id, "name": name, "text": text}
        until = self._context.clock() + timedelta(days=REQUEST_DAYS)
        return self._store.put(
            Request(recipient=to, author=actor.user_id, expires_at=until, **what)
        )

    def decline(self, actor: User, request_id: str, text: str = "") -> Request:
        """Decline a request. Notify the author of a suggestion, with a text."""
        is_admin, found = actor.role is Role.ADMIN, self.list(actor).get(request_id)
        if request_id.partition("-")[0] not in (str(actor.user_id), "0" if is_admin else ""):
            raise NotPermitted("This is asked of someone else.")
        request, _ = check_found(found, "There is no such request. It may be answered.")
        if request.recipient == ADMINISTRATORS:
            self._tell(request, f"was declined. {text.strip()[: rules.MAX_NOTES]}".strip())
        else:
            self._store.delete(key_of(request))
        return request


def draft_of(skill: UserSkill) -> rules.SkillDraft:
    """Return what was entered for a skill of a person."""
    return rules.SkillDraft(skill.level, skill.years, skill.last_used, skill.notes)


def _entered(draft: rules.SkillDraft) -> dict[str, Any]:
    return {name: value for name, value in vars(draft).items() if name != "evidence"}


def _rater(actor: User, user: User) -> dict[str, Any]:
    """Return the source of a rating: the person, or a manager."""
    if rules.is_same_user(actor.username, user.username):
        return {"source": Source.SELF, "rated_by": ""}
    return {"source": Source.MANAGER, "rated_by": actor.username}


def _rating(user: User, skill: UserSkill, at: datetime, evidence: str = "") -> Rating:
    own = user.username if skill.source is Source.SELF else ""
    return Rating(
        user_id=user.user_id,
        skill_id=skill.skill_id,
        rated_at=at,
        level=skill.level,
        years=skill.years,
        source=skill.source,
        author=skill.rated_by or own,
        evidence=evidence,
    )


def is_rated_anew(before: UserSkill | None, after: UserSkill) -> bool:
    """Return whether the level or the years are others than before."""
    return before is None or (before.level, before.years) != (after.level, after.years)


def write_skill(transaction: Transaction, before: UserSkill | None, after: UserSkill) -> None:
    """Add a skill to a person, or change its values, and count its people."""
    if before is None:
        transaction.create(after)
        count(transaction, after.skill_id, added=after.level)
        return
    edits = edits_of(after, *(each.name for each in fields(SkillValues)))
    transaction.update(key_of(before), *edits, if_=UserSkill.revision == before.revision)
    if after.level is not before.level:
        count(transaction, after.skill_id, added=after.level, removed=before.level)
