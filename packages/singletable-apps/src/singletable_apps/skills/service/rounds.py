"""Rating rounds: open and close them, finish ratings, remind people, and compare with the last."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import date, datetime

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.service import check_found
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns, round_rules, rules
from singletable_apps.skills.entities import Level, Role, Round, RoundAnswer, Source, Team, User
from singletable_apps.skills.service.catalog import Part
from singletable_apps.skills.service.context import Context
from singletable_apps.skills.service.notices import Notices
from singletable_apps.skills.service.overview import Overview
from singletable_apps.skills.service.user_skills import UserSkills


class Rounds(Part):
    """The rating rounds. A round stores who has finished; levels are in the ratings."""

    def __init__(self, context: Context, notices: Notices, overview: Overview) -> None:
        super().__init__(context)
        self._notices, self._overview = notices, overview
        self._user_skills = UserSkills(context)

    def list(self) -> Sequence[Round]:
        """Return all rounds, the newest first."""
        return [*self._store.run(patterns.rounds)][::-1]

    def get(self, round_id: str, *, check_open: bool = False) -> Round:
        """Return a round, or raise NotFound; or InvalidInput if it must be open and is not."""
        found = self._store.run(patterns.round_by_id, round_id) if rules.is_key(round_id) else None
        item = check_found(found, "There is no such rating round.")
        if check_open and not self.is_open(item):
            raise InvalidInput({"": "This rating round is over."})
        return item

    def is_open(self, item: Round) -> bool:
        """Return whether people can still finish."""
        return self._context.clock() < round_rules.ends_at(item)

    def open(self, actor: User, name: str, closes_on: date, teams: Sequence[str] = ()) -> Round:
        """Open a round for some teams, or else for everyone, and ask its people by e-mail."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.ADMINISTER)
        now, checks = self._context.clock(), InputChecks()
        name = checks.line("name", name, longest=rules.MAX_NAME, required=True)
        if not now.date() <= closes_on <= now.date() + round_rules.LONGEST:
            checks.reject("closes_on", "Enter a day from today on, within a year.")
        found = self._store.get_many([Team.key(each) for each in teams if rules.is_key(each)])
        if len([*filter(None, found)]) < len(teams):
            checks.reject("teams", "One of these teams does not exist. Choose others.")
        checks.raise_errors()
        created = Round(
            round_id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(4)}",
            name=name,
            team_ids=[*teams],
            opened_at=now,
            closes_on=closes_on,
        )
        self._store.create(created)
        self._ask(created, "open")
        return created

    def close(self, actor: User, round_id: str) -> Round:
        """Close a round before its last day is over. One that is over stays as it is."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.ADMINISTER)
        item = self.get(round_id)
        if not self.is_open(item):
            return item
        return self._store.update(Round.key(round_id), Round.closed_at.set(self._context.clock()))

    def people(self, item: Round, reach: rules.Reach) -> Sequence[round_rules.Participant]:
        """Return the people of a round within reach, by name."""
        teams = self._context.lines()
        # The progress of a round for everyone is that of the reporting lines.
        shown = [each for each in teams if each.team_id in item.team_ids] or [
            each for each in teams if each.manager
        ]
        names = reach.people
        if item.team_ids:
            members = {name.casefold() for each in shown for name in each.members}
            names = frozenset(members) if names is None else names & members
        users = (
            self._store.hydrate(patterns.all_accounts())
            if names is None
            else self._context.get_users(names).values()
        )
        chosen = [each for each in users if each.role is not Role.WAITING]
        keys = [
            patterns.round_answer(item.round_id, user.user_id, source)
            for user in chosen
            for source in (Source.SELF, Source.MANAGER)
        ]
        answers = self._store.get_many(keys, consistent=True)
        found: list[round_rules.Participant] = []
        for user, own, rated in zip(chosen, answers[::2], answers[1::2], strict=True):
            managers = round_rules.managers_of(user.username, teams)
            is_rated = bool(rated) if managers or rated else None
            member_of = [each.name for each in shown if user.username in each.members]
            found.append(round_rules.Participant(user, bool(own), is_rated, managers, member_of))
        return sorted(found, key=lambda each: each.user.name.casefold())

    def tasks(self, actor: User) -> Sequence[tuple[Round, Sequence[str]]]:
        """Return what someone has left to do in open rounds, in words, the first to end first."""
        rounds = sorted(filter(self.is_open, self.list()), key=round_rules.ends_at)
        reach = self._context.reach(actor) if rounds else rules.Reach(frozenset())
        found = [(each, round_rules.find_tasks(self.people(each, reach), actor)) for each in rounds]
        return [(each, tasks) for each, tasks in found if tasks]

    def finish(
        self, actor: User, round_id: str, username: str, levels: Mapping[str, Level]
    ) -> RoundAnswer:
        """Confirm or change the levels of a person, by skill, and note that they are finished.

        A manager's rating is stored for each skill, and one's own for those that are changed.
        """
        self._context.check_reach(actor, username)
        item = self.get(round_id, check_open=True)
        people = self.people(item, rules.Reach(frozenset([username.casefold()])))
        if not people:
            raise InvalidInput({"": "This person takes no part in this round."})
        is_own = rules.is_same_user(actor.username, username)
        skills = {each.skill_id: each for each in self._user_skills.list(username)}
        before = rules.latest_levels(skills.values(), self._user_skills.ratings(people[0].user))
        for spelling, level in levels.items():
            skill_id = self._catalog.get(spelling).skill_id
            has = skills.get(skill_id)
            is_rated = has is not None and (
                before[skill_id][0] is level
                if is_own
                else has.level is level and rules.is_same_user(has.rated_by, actor.username)
            )
            if not is_rated:
                years = has.years if has else 0
                self._user_skills.rate(actor, username, skill_id, level, years)
        source = Source.SELF if is_own else Source.MANAGER
        user_id = people[0].user.user_id
        return self._store.put(RoundAnswer(round_id=round_id, user_id=user_id, source=source))

    def remind(self, actor: User, round_id: str) -> int:
        """Queue an e-mail to everyone yet to finish, once a day; return how many."""
        rules.PERMISSIONS.check(actor.role, rules.Permission.ADMINISTER)
        return self._ask(self.get(round_id, check_open=True), f"remind-{self._context.today()}")

    def remind_last(self) -> None:
        """Remind everyone yet to finish, once, shortly before the end of a round."""
        for item in filter(self.is_open, self.list()):
            if self._context.clock() > round_rules.ends_at(item) - round_rules.LAST_CALL:
                self._ask(item, "last")

    def _ask(self, item: Round, purpose: str) -> int:
        people = self.people(item, rules.Reach(None))
        managers = self._context.get_users(name for each in people for name in each.managers)
        asked = {each.user.user_id: each.user for each in people}
        asked |= {each.user_id: each for each in managers.values()}
        last_day, link = f"{item.closes_on:%-d %B %Y}", self._context.urls.page("rounds")
        return self._notices.send(
            (
                user,
                (item.round_id, purpose),
                f"{item.name}: rate skills until {last_day}",
                f"Please {' and '.join(tasks)} until {last_day}",
                f"{link}/{item.round_id}",
            )
            for user in asked.values()
            for tasks in [round_rules.find_tasks(people, user)]
            if tasks
        )

    def compare(
        self, item: Round, reach: rules.Reach
    ) -> tuple[datetime, Sequence[round_rules.LevelChange]]:
        """Return since when levels are compared, and those of people within reach that changed.

        They are compared with the end of the round before, or else the beginning of this one.
        """
        earlier = [
            round_rules.ends_at(each) for each in self.list() if each.opened_at < item.opened_at
        ]
        since = min(max(earlier, default=item.opened_at), item.opened_at)
        until = min(round_rules.ends_at(item), self._context.clock())
        users = [each.user for each in self.people(item, reach)]
        jobs = self._overview.jobs({user.job_role for user in users} - {""})
        changes: list[round_rules.LevelChange] = []
        for user in users:
            skills = self._store.run(patterns.skills_of_user, user.username)
            targets = jobs[user.job_role].targets if user.job_role in jobs else {}
            ratings = self._user_skills.ratings(user)
            changes += round_rules.find_changes(user, skills, ratings, targets, (since, until))
        return since, changes
