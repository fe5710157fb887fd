"""The page of a person: profile, skills, endorsements, and the targets of the job."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    Form,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.shared.web import Day
from singletable_apps.skills.entities import Category, Level, Profile, Source, UserSkill
from singletable_apps.skills.overview_rules import (
    Colleague,
    TargetCheck,
    TargetResult,
    check_targets,
    is_stale,
    people_below,
)
from singletable_apps.skills.pages.dependencies import Segment, UserPage, UserPageContext
from singletable_apps.skills.pages.entries import entry_sections
from singletable_apps.skills.rules import (
    MAX_YEARS,
    RANKS,
    Reach,
    SkillDraft,
    SkillName,
    is_same_user,
    pair_ratings,
)
from singletable_apps.skills.search_rules import explain_unknown
from singletable_apps.skills.service.overview import PeopleFilter
from singletable_apps.skills.service.user_skills import draft_of

router = APIRouter()
# How long ratings are news and certificates need care; and how many rows the start page has.
_RECENT, _MOST_SHOWN = timedelta(days=90), 6
_LEVELS = [
    (Level.BEGINNER, "Beginner", "Knows the basics, and needs help."),
    (Level.INTERMEDIATE, "Intermediate", "Does everyday work independently."),
    (Level.ADVANCED, "Advanced", "Solves hard problems, and helps others."),
    (Level.EXPERT, "Expert", "Solves what nobody else can; others ask for advice."),
]


@router.get("/start")
def show_start(page: UserPage) -> Response:
    """Show what is new for someone: gaps, ratings, certificates that expire, and their people."""
    service, user, now = page.service, page.user, page.service.context.clock()
    profile = service.user_skills.profile(user.username)
    columns = {each.skill_id: each for each in service.catalog.list_names()}
    job, targets = _targets(page, profile, columns)
    ratings = [
        each
        for each in service.user_skills.ratings(user)
        if each.source is Source.MANAGER and each.rated_at > now - _RECENT
    ]
    ratings.sort(key=lambda each: each.rated_at, reverse=True)
    certificates = service.entries.list_all(user.username).certifications
    soon = now.date() + _RECENT
    people = (service.context.reach(user).people or frozenset()) - {user.username.casefold()}
    reach, checks = Reach(people), list[TargetCheck]()
    if people:
        filters = (PeopleFilter(), Level.EXPERT, 1)
        checks = [*service.overview.gaps(reach, *filters, all_people=False).targets]
    below = people_below(checks)
    return page.render(
        "start",
        job=job,
        targets=targets,
        skills=columns,
        count=len(profile.skills),
        stale=[each for each in profile.skills if is_stale(each, now.date())],
        ratings=ratings[:_MOST_SHOWN],
        people=service.context.get_users(each.author for each in ratings),
        expiring=[each for each in certificates if each.expires_on and each.expires_on <= soon],
        today=now.date(),
        managed=len(people),
        below=below[:_MOST_SHOWN],
        all_below=len(below),
        ranks=RANKS,
    )


@router.get("/people/{username}")
def show_person(page: UserPage, username: Segment) -> Response:
    """Show a person with all skills."""
    profile = page.service.user_skills.profile(username)
    if not is_same_user(profile.user.username, username):
        return page.redirect(page.urls.person(profile.user.username))
    is_visible = profile.user.username in page.service.context.reach(page.user)
    columns = {each.skill_id: each for each in page.service.catalog.list_names()}
    job, targets = _targets(page, profile, columns)
    targets = targets if is_visible else []
    is_own = is_same_user(page.user.username, profile.user.username)
    today = page.service.context.today()
    ratings = page.service.user_skills.ratings(profile.user) if is_visible else ()
    authors = {*(each.author for each in ratings), *(each.rated_by for each in profile.skills)}
    return page.render(
        "person",
        person=profile.user,
        email=profile.user.email if is_visible else "",
        groups=_group(profile.skills, columns),
        endorsed=(
            frozenset[str]()
            if is_own
            else page.service.endorsements.endorsed_by(page.user, profile.skills)
        ),
        stale={each.skill_id for each in profile.skills if is_stale(each, today)},
        ranks=RANKS,
        is_own=is_own,
        can_edit=is_visible,
        pairs=pair_ratings(ratings),
        people=page.service.context.get_users(authors),
        job=job,
        targets=targets,
        met=sum(each.result is not TargetResult.BELOW for each in targets),
        sections=entry_sections(page, profile.user.username),
    )


def _group(
    skills: Iterable[UserSkill], columns: Mapping[str, SkillName]
) -> list[tuple[Category, list[UserSkill]]]:
    """Return the skills by category, the highest level first."""
    groups: dict[Category, list[UserSkill]] = {}
    for skill in sorted(skills, key=lambda each: (-RANKS[each.level], each.skill_name.casefold())):
        column = columns.get(skill.skill_id)
        groups.setdefault(column.category if column else Category.OTHER, []).append(skill)
    return [(category, groups[category]) for category in Category if category in groups]


def _targets(
    page: UserPageContext, profile: Profile, columns: Mapping[str, SkillName]
) -> tuple[str, list[TargetCheck]]:
    """Return the name of the job, and its targets, the largest gap first."""
    user = profile.user
    jobs = page.service.overview.jobs({user.job_role} - {""})
    cells = {user.username.casefold(): {each.skill_id: each for each in profile.skills}}
    found = check_targets([Colleague.of(user)], jobs, columns, cells)
    found.sort(key=lambda check: (-check.missing, check.skill.name.casefold()))
    return next((job.name for job in jobs.values()), ""), found


# ------------------------------------------------------------------------------ add and change


class SkillForm(BaseModel):
    """A skill of a person. The service checks the values."""

    skill_name: str = ""
    level: Level
    years: int = 0
    last_used: Day | None = None
    notes: str = ""
    evidence: str = ""

    def draft(self) -> SkillDraft:
        """Return what was entered."""
        return SkillDraft(**self.model_dump(exclude={"skill_name"}))


@router.api_route("/people/{username}/skills/new", methods=FORM_METHODS)
def add_skill(page: UserPage, username: Segment, form: PostedForm, skill: str = "") -> Response:
    """Add a skill of the catalog."""
    page.service.context.check_reach(page.user, username)

    def act(values: SkillForm) -> Response:
        found = page.service.catalog.find(values.skill_name)
        if found is None:
            raise InvalidInput({"skill_name": _explain_unknown(page, values.skill_name)})
        draft = values.draft()
        added = page.service.user_skills.add(page.user, username, found.skill_id, draft)
        return page.redirect(_at(page, added), f"{added.skill_name} was added.")

    initial = Form({"skill_name": skill[:100], "level": Level.INTERMEDIATE, "years": 0})
    return page.fill(form, initial, SkillForm, act, partial(_show_form, page, username, None))


def _explain_unknown(page: UserPageContext, spelling: str) -> str:
    text = explain_unknown(spelling, [each.name for each in page.service.catalog.list_names()])
    return f"{text} Ask an administrator to add it." if text.endswith("catalog.") else text


@router.api_route("/people/{username}/skills/{skill_id}/edit", methods=FORM_METHODS)
def edit_skill(page: UserPage, username: Segment, skill_id: Segment, form: PostedForm) -> Response:
    """Change a skill."""
    page.service.context.check_reach(page.user, username)
    skill = page.service.user_skills.get(username, skill_id)

    def act(values: SkillForm) -> Response:
        edited = page.service.user_skills.edit(
            page.user, username, skill_id, values.draft(), form.revision_check()
        )
        return page.redirect(_at(page, edited), f"{edited.skill_name} was saved.")

    last_used = skill.last_used.isoformat()
    initial = Form({**vars(draft_of(skill)), "last_used": last_used, "revision": skill.revision})
    return page.fill(form, initial, SkillForm, act, partial(_show_form, page, username, skill))


def _show_form(
    page: UserPageContext, username: str, skill: UserSkill | None, form: Form, status: int
) -> Response:
    names: list[str] = []
    if skill is None:
        has = {each.skill_id for each in page.service.user_skills.list(username)}
        catalog = page.service.catalog.list_names()
        names = sorted((each.name for each in catalog if each.skill_id not in has), key=str.lower)
    return page.render(
        "person_skill_form",
        status,
        person=page.service.context.get_user(username),
        skill=skill,
        form=form,
        names=names,
        levels=_LEVELS,
        max_years=MAX_YEARS,
    )


# ------------------------------------------------------------------------------ remove


@confirm(router, "/people/{username}/skills/{skill_id}/delete")
def remove_skill(page: UserPage, username: Segment, skill_id: Segment) -> ConfirmedAction:
    """Remove a skill with its endorsements."""
    page.service.context.check_reach(page.user, username)
    skills = page.service.user_skills
    skill = skills.get(username, skill_id)
    people = "1 person" if skill.endorsements == 1 else f"{skill.endorsements} people"
    return ConfirmedAction(
        page,
        title=f"Remove {skill.skill_name}?",
        text="The level, the years and the notes are deleted.",
        button="Remove the skill",
        back=page.urls.person(username),
        consequences=[f"The endorsements of {people} are deleted."] if skill.endorsements else [],
        revision=skill.revision,
        do=lambda form: skills.remove(page.user, username, skill_id, form.revision_check()),
        done=f"{skill.skill_name} was removed.",
    )


# ------------------------------------------------------------------------------ endorsements


@router.get("/people/{username}/skills/{skill_id}")
def show_skill_of_person(
    page: UserPage, username: Segment, skill_id: Segment, query: ListQueryParameters
) -> Response:
    """Show a skill of a person, and who endorses it."""
    skill = page.service.user_skills.get(username, skill_id)
    found = page.service.endorsements.list(username, skill_id, cursor=query.cursor)
    person, reach = page.service.context.get_user(username), page.service.context.reach(page.user)
    can_edit = person.username in reach
    ratings = page.service.user_skills.ratings(person, skill.skill_id) if can_edit else ()
    names = [*(each.endorser for each in found.items), *(each.author for each in ratings)]
    people = page.service.context.get_users([*names, skill.rated_by])
    is_own = is_same_user(page.user.username, skill.username)
    return page.render(
        "person_skill",
        person=person,
        skill=skill,
        ratings=ratings[::-1],
        ranks=RANKS,
        rank=RANKS[skill.level],
        endorsements=query.page(found.items, found.cursor),
        people=people,
        is_own=is_own,
        is_endorsed=not is_own and bool(page.service.endorsements.endorsed_by(page.user, [skill])),
        can_edit=can_edit,
    )


@router.post("/people/{username}/skills/{skill_id}/endorse")
def endorse_skill(page: UserPage, username: Segment, skill_id: Segment) -> Response:
    """Endorse a skill of someone else."""
    skill = page.service.endorsements.endorse(page.user, username, skill_id)
    return page.redirect(_at(page, skill), f"You endorse {skill.skill_name}.")


@router.post("/people/{username}/skills/{skill_id}/withdraw")
def withdraw_endorsement(page: UserPage, username: Segment, skill_id: Segment) -> Response:
    """Withdraw an endorsement."""
    skill = page.service.endorsements.withdraw(page.user, username, skill_id)
    return page.redirect(_at(page, skill), f"You no longer endorse {skill.skill_name}.")


def _at(page: UserPageContext, skill: UserSkill) -> str:
    """Return the URL of a skill on the page of its person."""
    return f"{page.urls.person(skill.username)}#skill-{skill.skill_id}"
