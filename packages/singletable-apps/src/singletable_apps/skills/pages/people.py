"""The start page, the directory, and a person: profile, skills, endorsements, targets, account."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, StringConstraints

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.frame.account_pages import address_sent
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    ConfirmField,
    Form,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.shared.permissions import is_permitted
from singletable_apps.shared.web import Day
from singletable_apps.skills import overview_rules, rules
from singletable_apps.skills.entities import Level, Profile, Role, Source, User, UserSkill
from singletable_apps.skills.pages.dependencies import AnyPage, Segment, UserPage, UserPageContext
from singletable_apps.skills.pages.entries import entry_sections
from singletable_apps.skills.search_rules import explain_unknown
from singletable_apps.skills.service.overview import PeopleFilter
from singletable_apps.skills.service.people import PersonEdit
from singletable_apps.skills.service.user_skills import draft_of

router = APIRouter()
_PAGE = 50
FilterText = Annotated[str, Query(max_length=200)]
# How long ratings are news and certificates need care; and how many rows the start page has.
_RECENT, _MOST_SHOWN = timedelta(days=90), 6


@router.get("")
def show_home(page: AnyPage) -> Response:
    """Show what the directory is, or redirect signed-in people to the start page."""
    if page.visitor is not None:
        return page.redirect(page.urls.page("start"))
    return page.render("home", is_first=page.service.accounts.setup_code() is not None)


@router.get("/")
def redirect_to_home(page: AnyPage) -> Response:
    """Redirect the address with a slash at its end, which people type."""
    return page.redirect(page.urls.page())


@router.get("/people")
def list_people(
    page: UserPage, query: ListQueryParameters, department: FilterText = "", job: FilterText = ""
) -> Response:
    """List the people by name."""
    filters = {
        name: text
        for name, text in (("q", query.search), ("department", department), ("job", job))
        if text
    }
    found = page.service.people.list(
        query.search, department=department, job_role=job, limit=_PAGE, cursor=query.cursor
    )
    url, jobs = page.urls.page, page.service.overview.job_names()
    departments = page.service.overview.departments()
    return page.render(
        "people",
        people=found.items,
        form=Form({"q": query.search, "department": department, "job": job}),
        jobs=jobs,
        choices={
            "departments": [("", "All departments"), *((each, each) for each in departments)],
            "jobs": [("", "All jobs"), *jobs.items()],
        },
        is_filtered=bool(filters),
        directory=page.service.people.settings(),
        next_url=url("people", **filters, cursor=found.cursor) if found.cursor else "",
        first_url=url("people", **filters) if query.cursor else "",
    )


@router.get("/start")
def show_start(page: UserPage) -> Response:
    """Show what is new for someone: gaps, ratings, certificates that expire, and their people."""
    service, user, now = page.service, page.user, page.service.context.clock()
    profile = service.user_skills.profile(user.username)
    columns = {each.skill_id: each for each in service.catalog.list_names()}
    job, targets = _targets(page, profile, columns)
    held = {each.skill_id for each in profile.skills}
    ratings = [
        each
        for each in service.user_skills.ratings(user)
        if each.source is Source.MANAGER and each.rated_at > now - _RECENT
        if each.skill_id in held
    ]
    ratings.sort(key=lambda each: each.rated_at, reverse=True)
    certificates = service.entries.list_all(user.username).certifications
    soon = now.date() + _RECENT
    people = (service.context.reach(user).people or frozenset()) - {user.username.casefold()}
    reach, checks = rules.Reach(people), list[overview_rules.TargetCheck]()
    if people:
        filters = (PeopleFilter(), Level.EXPERT, 1)
        checks = [*service.overview.gaps(reach, *filters, all_people=False).targets]
    below = overview_rules.people_below(checks)
    return page.render(
        "start",
        job=job,
        targets=targets,
        skills=columns,
        count=len(profile.skills),
        stale=[each for each in profile.skills if overview_rules.is_stale(each, now.date())],
        ratings=ratings[:_MOST_SHOWN],
        people=service.context.get_users(each.author for each in ratings),
        expiring=[each for each in certificates if each.expires_on and each.expires_on <= soon],
        today=now.date(),
        managed=len(people),
        teams=service.teams.managed_by(user) if people else (),
        below=below[:_MOST_SHOWN],
        all_below=len(below),
        rounds=service.rounds.tasks(user),
        requests=service.requests.list(user),
    )


@router.get("/people/{username}")
def show_person(page: UserPage, username: Segment) -> Response:
    """Show a person with all skills."""
    profile = page.service.user_skills.profile(username)
    if not rules.is_same_user(profile.user.username, username):
        return page.redirect(page.urls.person(profile.user.username))
    is_visible = profile.user.username in page.service.context.reach(page.user)
    columns = {each.skill_id: each for each in page.service.catalog.list_names()}
    job, targets = _targets(page, profile, columns)
    targets = targets if is_visible else []
    is_own = rules.is_same_user(page.user.username, profile.user.username)
    today = page.service.context.today()
    ratings = page.service.user_skills.ratings(profile.user) if is_visible else ()
    authors = {*(each.author for each in ratings), *(each.rated_by for each in profile.skills)}
    return page.render(
        "person",
        person=profile.user,
        email=profile.user.email if is_visible else "",
        groups=_group(page, profile.skills, columns),
        endorsed=(
            frozenset[str]()
            if is_own
            else page.service.endorsements.endorsed_by(page.user, profile.skills)
        ),
        stale={each.skill_id for each in profile.skills if overview_rules.is_stale(each, today)},
        is_own=is_own,
        can_edit=is_visible,
        pairs=rules.pair_ratings(ratings),
        people=page.service.context.get_users(authors),
        job=job,
        targets=targets,
        met=sum(each.result is not overview_rules.TargetResult.BELOW for each in targets),
        **entry_sections(page, profile.user.username),
    )


def _group(
    page: UserPageContext, skills: Iterable[UserSkill], columns: Mapping[str, rules.SkillName]
) -> Iterable[tuple[str, list[UserSkill]]]:
    """Return the skills by category, the highest level first."""
    groups: dict[str, list[UserSkill]] = {
        each: [] for each in page.service.context.words().categories
    }
    for skill in sorted(
        skills, key=lambda each: (-rules.RANKS[each.level], each.skill_name.casefold())
    ):
        column = columns.get(skill.skill_id)
        groups.setdefault(column.category if column else "Other", []).append(skill)
    return [(category, found) for category, found in groups.items() if found]


def _targets(
    page: UserPageContext, profile: Profile, columns: Mapping[str, rules.SkillName]
) -> tuple[str, list[overview_rules.TargetCheck]]:
    """Return the name of the job, and its targets, the largest gap first."""
    user = profile.user
    jobs = page.service.overview.jobs({user.job_role} - {""})
    cells = {user.username.casefold(): {each.skill_id: each for each in profile.skills}}
    found = overview_rules.check_targets([overview_rules.Colleague.of(user)], jobs, columns, cells)
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

    def draft(self) -> rules.SkillDraft:
        """Return what was entered."""
        return rules.SkillDraft(**self.model_dump(exclude={"skill_name"}))


@router.api_route("/people/{username}/skills/new", methods=FORM_METHODS)
@router.api_route("/people/{username}/skills/{skill_id}/edit", methods=FORM_METHODS)
def edit_skill(
    page: UserPage, username: Segment, form: PostedForm, skill_id: str = "", skill: str = ""
) -> Response:
    """Add a skill of the catalog, or change one."""
    page.service.context.check_reach(page.user, username)
    skills = page.service.user_skills
    before = skills.get(username, skill_id) if skill_id else None

    def act(values: SkillForm) -> Response:
        if before is not None:
            check = form.revision_check()
            saved, text = skills.edit(page.user, username, skill_id, values.draft(), check), "saved"
        elif found := page.service.catalog.find(values.skill_name):
            saved = skills.add(page.user, username, found.skill_id, values.draft())
            text = "added"
        else:
            raise InvalidInput({"skill_name": _explain_unknown(page, values.skill_name)})
        return page.redirect(_at(page, saved), f"{saved.skill_name} was {text}.")

    initial = Form({"skill_name": skill[:100], "level": Level.INTERMEDIATE, "years": 0})
    if before is not None:
        values, last_used = vars(draft_of(before)), before.last_used.isoformat()
        initial = Form({**values, "last_used": last_used, "revision": before.revision})
    return page.fill(form, initial, SkillForm, act, partial(_show_form, page, username, before))


def _explain_unknown(page: UserPageContext, spelling: str) -> str:
    text = explain_unknown(spelling, [each.name for each in page.service.catalog.list_names()])
    return f"{text} You can suggest it below." if text.endswith("catalog.") else text


def _show_form(
    page: UserPageContext, username: str, skill: UserSkill | None, form: Form, status: int
) -> Response:
    names, words = list[str](), page.service.context.words()
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
        levels=[(each, words.levels[each], words.hints[each]) for each in rules.LEVELS],
        max_years=rules.MAX_YEARS,
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
    """Show a skill of a person and its endorsements."""
    person = page.service.user_skills.profile(username).user
    if not rules.is_same_user(person.username, username):
        return page.redirect(page.urls.person(person.username, "skills", skill_id))
    skill = page.service.user_skills.get(username, skill_id)
    found = page.service.endorsements.list(username, skill_id, cursor=query.cursor)
    can_edit = person.username in page.service.context.reach(page.user)
    ratings = page.service.user_skills.ratings(person, skill.skill_id) if can_edit else ()
    names = [*(each.endorser for each in found.items), *(each.author for each in ratings)]
    people = page.service.context.get_users([*names, skill.rated_by])
    is_own = rules.is_same_user(page.user.username, skill.username)
    return page.render(
        "person_skill",
        person=person,
        skill=skill,
        ratings=ratings[::-1],
        rank=rules.RANKS[skill.level],
        endorsements=query.page(found.items, found.cursor),
        no_errors=Form(),
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


@router.post("/ask/{skill_id}")
def ask_colleague(page: UserPage, skill_id: Segment, form: PostedForm) -> Response:
    """Ask a colleague, by username or name, to endorse a skill of one's own."""
    wanted = form.value("colleague").strip()
    named = page.service.context.find_user(wanted)
    found = page.service.people.list(wanted, limit=2).items if wanted and not named else []
    user = named or (found[0] if len(found) == 1 else None)
    text = f"{'Several people have' if found else 'Nobody has'} this name. Enter a username."
    if user is not None:
        page.service.requests.ask(page.user, skill_id, user.username)
        text = f"{user.name} was asked to endorse this skill."
    return page.redirect(page.urls.person(page.user.username, "skills", skill_id), text)


class SuggestionForm(BaseModel):
    """A skill to suggest."""

    skill_name: str
    text: str = ""


@router.api_route("/suggest", methods=FORM_METHODS)
def suggest_skill(page: UserPage, form: PostedForm, name: str = "") -> Response:
    """Suggest a skill that the catalog does not have."""

    def act(values: SuggestionForm) -> Response:
        sent = page.service.requests.suggest(page.user, values.skill_name, values.text)
        text = f"Suggested {sent.name}. You get an e-mail when it is decided."
        return page.redirect(page.urls.page("catalog"), text)

    initial = Form({"skill_name": name[:100]})
    return page.fill(form, initial, SuggestionForm, act, page.shows("suggest"))


@router.post("/requests/{request_id}/decline")
def decline(page: UserPage, request_id: Segment, form: PostedForm) -> Response:
    """Decline a request."""
    request = page.service.requests.decline(page.user, request_id, form.value("text"))
    return page.redirect(page.urls.page("start"), f"Declined: {request.name}.")


def _at(page: UserPageContext, skill: UserSkill) -> str:
    """Return the URL of a skill on the page of its person."""
    return f"{page.urls.person(skill.username)}#skill-{skill.skill_id}"


# ------------------------------------------------------------------------------ profiles


class ProfileForm(BaseModel):
    """A profile. Fields that the reader may not change are not in the form."""

    name: str
    title: str = ""
    department: str = ""
    location: str = ""
    about: str = ""
    email: Annotated[str, StringConstraints(strip_whitespace=True)] = ""
    job_role: str = ""


@router.api_route("/people/{username}/edit", methods=FORM_METHODS)
def edit_profile(page: UserPage, username: Segment, form: PostedForm) -> Response:
    """Change a profile."""
    page.service.context.check_reach(page.user, username)
    person = page.service.context.get_user(username)

    def act(values: ProfileForm) -> Response:
        edit = PersonEdit(**values.model_dump(exclude_unset=True))
        if edit.email not in (None, person.email):
            page.check_password(form)
        saved = page.service.people.edit(page.user, username, edit, form.revision_check())
        is_saved = not edit.email or edit.email == saved.email
        text = "Profile saved." if is_saved else address_sent(values.email)
        return page.redirect(page.urls.person(saved.username), text)

    def show(form: Form, status: int) -> Response:
        return page.render(
            "profile_form",
            status,
            form=form,
            person=person,
            departments=page.service.overview.departments(),
            jobs=[("", "No job"), *page.service.overview.job_names().items()],
            can_edit_email=is_permitted(rules.check_self, page.user, person.username),
            can_edit_job=rules.PERMISSIONS.allows(page.user.role, rules.Permission.PLAN),
            needs_password=page.needs_password,
        )

    initial = Form.of(ProfileForm, person, revision=person.revision)
    return page.fill(form, initial, ProfileForm, act, show)


# ------------------------------------------------------------------------------ usernames


class UsernameForm(BaseModel):
    """A new username."""

    username: str


@router.api_route("/people/{username}/username", methods=FORM_METHODS)
def rename_person(page: UserPage, username: Segment, form: PostedForm) -> Response:
    """Change a username."""
    rules.check_self(page.user, username)
    person = page.service.context.get_user(username)

    def act(values: UsernameForm) -> Response:
        renamed = page.service.people.rename(page.user, username, values.username)
        text = f"The username of {renamed.name} is {renamed.username} now."
        if renamed.user_id == page.user.user_id:
            text = f"Your username is {renamed.username} now. Use it to sign in."
        return page.redirect(_back(page, renamed), text)

    show = page.shows("username_form", person=person, back=_back(page, person))
    initial = Form.of(UsernameForm, person)
    return page.fill(form, initial, UsernameForm, act, show, field="username")


# ------------------------------------------------------------------------------ deletion


@confirm(router, "/people/{username}/delete")
def delete_person(page: UserPage, username: Segment) -> ConfirmedAction:
    """Delete a person. The username is entered again, so that nobody is deleted by a click."""
    rules.check_self(page.user, username)
    person = page.service.context.get_user(username)
    is_own = person.user_id == page.user.user_id

    def delete(form: Form) -> None:
        if not rules.is_same_user(form.value("username").strip(), person.username):
            raise InvalidInput({"username": f"Enter {person.username} to confirm."})
        try:
            page.service.accounts.remove(page.user, username)
        except InvalidInput as error:
            raise InvalidInput({"username": str(error)}) from error
        if is_own:
            page.cookies.forget(page.request)

    return ConfirmedAction(
        page,
        title="Delete your account?" if is_own else f"Delete {person.name}?",
        text="This can’t be undone.",
        consequences=(
            "The profile, all skills and all entries are deleted.",
            "Endorsements by and of this person are withdrawn, and teams lose a member.",
            "You are signed out everywhere." if is_own else "The person is signed out everywhere.",
        ),
        choice=ConfirmField(
            "username", "Username", "text", hint=f"Enter {person.username} to confirm."
        ),
        button="Delete account",
        back=_back(page, person),
        needs_password=True,
        model=UsernameForm,
        do=delete,
        to=page.urls.page("sign-in") if is_own else page.urls.page("admin", "people"),
        done="Your account is deleted." if is_own else f"{person.name} is deleted.",
    )


def _back(page: UserPageContext, person: User) -> str:
    """Return the URL of the account: one's own, or for administrators that of another."""
    if person.user_id == page.user.user_id or page.user.role is not Role.ADMIN:
        return page.urls.page("account")
    return page.urls.page("admin", "people", person.username.casefold())
