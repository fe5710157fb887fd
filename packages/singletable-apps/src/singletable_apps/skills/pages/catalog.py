"""The catalog, a skill with its people, and jobs; for administrators and managers: the forms."""

from __future__ import annotations

from functools import partial
from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query, Response
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
from singletable_apps.skills.entities import JobRole, Level, Skill
from singletable_apps.skills.pages.dependencies import (
    AdminPage,
    ManagerPage,
    Segment,
    UserPage,
    UserPageContext,
)
from singletable_apps.skills.rules import LEVELS, PERMISSIONS, RANKS, InUse, Permission, people_at
from singletable_apps.skills.service.catalog import SkillEdit
from singletable_apps.skills.service.roles import MAX_TARGETS, RoleEdit

router = APIRouter()
_PAGE = 25
_EMPTY_ROWS = 5


@router.get("/catalog")
def show_catalog(page: UserPage, query: ListQueryParameters) -> Response:
    """List the skills by category, each with its number of people."""
    catalog = page.service.catalog
    everything = catalog.list_names()
    found = query.apply(
        everything, text=lambda skill: f"{skill.name} {skill.category}", columns={}, limit=1_000
    )
    counts = catalog.counts(skill.skill_id for skill in found.items)
    groups = groupby(found.items, key=lambda skill: skill.category)
    # An alias is not in the list, but means a skill.
    meant = catalog.find(query.search)
    return page.render(
        "catalog",
        found=found,
        total=len(everything),
        groups=[
            (category, [(each, counts[each.skill_id]) for each in skills])
            for category, skills in groups
        ],
        meant=None if meant is None or meant.skill_id in counts else meant,
        people_at=people_at,
        expert=Level.EXPERT,
        can_administer=PERMISSIONS.allows(page.user.role, Permission.ADMINISTER),
    )


@router.get("/catalog/{skill_id}")
def show_skill(
    page: UserPage,
    skill_id: Segment,
    query: ListQueryParameters,
    level: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """Show a skill and the people with it, the best first. Other spellings redirect here."""
    service, urls = page.service, page.urls
    skill = service.catalog.get(skill_id)
    if skill.skill_id != skill_id:
        return page.redirect(urls.skill(skill.skill_id))
    chosen = Level(level) if level in LEVELS else None
    found = service.user_skills.list_best(skill_id, chosen, limit=_PAGE, cursor=query.cursor)
    people = service.context.get_users([each.username for each in found.items])
    count = service.catalog.counts([skill_id])[skill_id]
    own = service.user_skills.find(page.user.username, skill_id)
    return page.render(
        "skill",
        skill=skill,
        total=people_at(count),
        levels=[
            (each, RANKS[each], getattr(count, each.lower()), urls.skill(skill_id, level=each))
            for each in reversed(LEVELS)
        ],
        level=chosen,
        holders=query.page(found.items, found.cursor),
        people=people,
        own=own,
        can_administer=PERMISSIONS.allows(page.user.role, Permission.ADMINISTER),
    )


@router.get("/admin")
def show_admin(page: AdminPage) -> Response:
    """Show what administrators can do."""
    return page.render("admin")


# ------------------------------------------------------------------------------ administration


class SkillForm(BaseModel):
    """A skill. The service checks the values."""

    skill_name: str
    skill_id: str = ""
    category: str = ""
    description: str = ""
    tags: str = ""
    aliases: str = ""

    def edit(self) -> SkillEdit:
        """Return what was entered; commas and lines separate tags and aliases."""
        tags, aliases = (
            tuple(filter(None, (each.strip() for each in text.replace("\n", ",").split(","))))
            for text in (self.tags, self.aliases)
        )
        return SkillEdit(
            self.skill_name, self.skill_id, self.category, self.description, tags, aliases
        )


@router.get("/admin/skills")
def list_skills(page: AdminPage, query: ListQueryParameters) -> Response:
    """List the skills with aliases, searched by any spelling."""
    skills = page.service.catalog.list_all()
    counts = page.service.catalog.counts(skill.skill_id for skill in skills)
    return page.render(
        "admin_skills",
        skills=query.apply(
            [(skill, people_at(counts[skill.skill_id])) for skill in skills],
            text=lambda row: " ".join([row[0].name, row[0].category, *row[0].aliases]),
            columns={
                "name": lambda row: row[0].name.casefold(),
                "category": lambda row: (row[0].category, row[0].name.casefold()),
                "people": lambda row: row[1],
            },
        ),
    )


@router.api_route("/admin/new-skill", methods=FORM_METHODS)
@router.api_route("/admin/skills/{skill_id}", methods=FORM_METHODS)
def edit_skill(page: AdminPage, form: PostedForm, skill_id: str = "", name: str = "") -> Response:
    """Create a skill, or change one. A new name is copied to the skills of people."""
    catalog = page.service.catalog
    before = page.service.context.get_skill(skill_id) if skill_id else None

    def act(values: SkillForm) -> Response:
        if before is None:
            text = f"Created “{catalog.create(page.user, values.edit()).name}”."
        else:
            skill = catalog.edit(page.user, skill_id, values.edit(), form.revision_check())
            text = f"Saved “{skill.name}”."
            if skill.name != before.name:
                text = f"Renamed “{before.name}” to “{skill.name}” for everyone."
        return page.redirect(page.urls.page("admin", "skills"), text)

    initial = Form({"skill_name": name[:100]})
    if before is not None:
        initial = Form(
            {
                "skill_name": before.name,
                "category": before.category,
                "description": before.description,
                "tags": ", ".join(before.tags),
                "aliases": "\n".join(before.aliases),
                "revision": before.revision,
            }
        )
    return page.fill(form, initial, SkillForm, act, partial(_show_skill, page, before))


def _show_skill(
    page: UserPageContext, skill: Skill | None, form: Form, status: int = 200
) -> Response:
    people = 0
    if skill is not None:
        people = people_at(page.service.catalog.counts([skill.skill_id])[skill.skill_id])
    categories = [(each, each) for each in page.service.context.words().categories]
    return page.render(
        "admin_skill", status, skill=skill, people=people, form=form, categories=categories
    )


@confirm(router, "/admin/skills/{skill_id}/delete")
def delete_skill(page: AdminPage, skill_id: Segment) -> ConfirmedAction:
    """Delete a skill that nobody has, or offer to merge it."""
    skill = page.service.context.get_skill(skill_id)

    def delete(form: Form) -> Response | None:
        try:
            page.service.catalog.delete(page.user, skill_id, form.revision_check())
        except InUse as error:
            return page.redirect(page.urls.page("admin", "skills", skill_id, "merge"), str(error))
        return None

    return ConfirmedAction(
        page,
        title=f"Delete “{skill.name}”?",
        text="It will be removed from the catalog and from job targets. Nobody has this skill.",
        button="Delete the skill",
        back=page.urls.page("admin", "skills", skill.skill_id),
        revision=skill.revision,
        do=delete,
        to=page.urls.page("admin", "skills"),
        done=f"Deleted “{skill.name}”.",
    )


@confirm(router, "/admin/skills/{skill_id}/merge")
def merge_skills(
    page: AdminPage,
    skill_id: Segment,
    form: PostedForm,
    into: Annotated[str, Query(max_length=1_000)] = "",
) -> ConfirmedAction | Response:
    """Ask for the skill to merge into, show what will happen, and merge them."""
    catalog, source = page.service.catalog, page.service.context.get_skill(skill_id)
    into = into or form.value("into")
    try:
        preview = catalog.preview_merge(page.user, skill_id, into) if into else None
    except InvalidInput as error:
        return _choose_target(page, source, Form({"into": into}, error.errors), 422)
    if preview is None:
        return _choose_target(page, source, Form(), 422 if form.values else 200)
    target = preview.target
    both = "They keep the higher level, more years, the latest use, and the notes of both."
    return ConfirmedAction(
        page,
        title=f"Merge “{source.name}” into “{target.name}”?",
        text=f"Everyone who has {source.name} will have {target.name} instead.",
        button="Merge the skills",
        hidden={"into": target.skill_id},
        back=page.urls.page("admin", "skills", skill_id, "merge"),
        facts=[
            ("People moved", f"{preview.people:,}"),
            ("Have both skills", f"{preview.both:,}. {both}" if preview.both else "0"),
            ("Targets of jobs", ", ".join(preview.roles) or "None"),
            ("New aliases", ", ".join(preview.aliases) or "None"),
        ],
        consequences=["Endorsements are kept. Someone who endorsed both skills counts once."],
        warning=f"“{source.name}” is deleted. This cannot be undone.",
        revision=source.revision,
        do=lambda form: catalog.merge(page.user, skill_id, into, form.revision_check()),
        to=page.urls.page("admin", "skills", target.skill_id),
        done=f"Merged “{source.name}” into “{target.name}”.",
    )


def _choose_target(page: UserPageContext, skill: Skill, form: Form, status: int = 200) -> Response:
    others = [each for each in page.service.catalog.list_names() if each.skill_id != skill.skill_id]
    return page.render("admin_merge", status, skill=skill, form=form, others=others)


# ------------------------------------------------------------------------------ jobs


@router.get("/roles")
def list_roles(page: UserPage) -> Response:
    """List the jobs."""
    can_plan = PERMISSIONS.allows(page.user.role, Permission.PLAN)
    return page.render("roles", roles=page.service.roles.list(), can_plan=can_plan)


@router.get("/roles/{role_id}")
def show_role(page: UserPage, role_id: Segment) -> Response:
    """Show a job with its targets, the highest level first."""
    role = page.service.roles.get(role_id)
    skills = page.service.catalog.find_many(role.targets)
    rows = sorted(
        (
            (skills[each], level, RANKS[level])
            for each, level in role.targets.items()
            if each in skills
        ),
        key=lambda row: (-row[2], row[0].name.casefold()),
    )
    can_plan = PERMISSIONS.allows(page.user.role, Permission.PLAN)
    return page.render("role", role=role, rows=rows, can_plan=can_plan)


class RoleForm(BaseModel):
    """A job. Its targets are the fields `skill` and `level` of each row."""

    name: str
    description: str = ""


@router.api_route("/new-role", methods=FORM_METHODS)
@router.api_route("/roles/{role_id}/edit", methods=FORM_METHODS)
def edit_role(page: ManagerPage, form: PostedForm, role_id: str = "") -> Response:
    """Create a job, or change one and its targets."""
    roles = page.service.roles
    before = roles.get(role_id) if role_id else None

    def act(values: RoleForm) -> Response:
        edit = RoleEdit(values.name, values.description, _targets(form))
        if before is None:
            role, text = roles.create(page.user, edit), "Created the job"
        else:
            role, text = roles.edit(page.user, role_id, edit, form.revision_check()), "Saved"
        return page.redirect(page.urls.role(role.role_id), f"{text} “{role.name}”.")

    initial = Form()
    if before is not None:
        names = page.service.catalog.find_many(before.targets)
        targets = [(names[one].name, to) for one, to in before.targets.items() if one in names]
        rows = {"skill": [name for name, _ in targets], "level": [to.value for _, to in targets]}
        initial = Form({**Form.of(RoleForm, before, revision=before.revision).values, **rows})
    return page.fill(form, initial, RoleForm, act, partial(_show_role, page, before))


@confirm(router, "/roles/{role_id}/delete")
def delete_role(page: ManagerPage, role_id: Segment) -> ConfirmedAction:
    """Delete a job."""
    role = page.service.roles.get(role_id)
    return ConfirmedAction(
        page,
        title=f"Delete the job “{role.name}”?",
        text="Its targets are deleted. People with this job are shown without one.",
        button="Delete the job",
        back=page.urls.role(role.role_id),
        revision=role.revision,
        do=lambda form: page.service.roles.delete(page.user, role_id, form.revision_check()),
        to=page.urls.page("roles"),
        done=f"Deleted the job “{role.name}”.",
    )


def _rows(form: Form) -> list[tuple[str, str]]:
    """Return the skill and the level of each row that is filled in."""
    skills, levels = form.selected("skill"), form.selected("level")
    rows = zip(skills, levels + [""] * len(skills), strict=False)
    return [(skill.strip(), level) for skill, level in rows if skill.strip()]


def _targets(form: Form) -> dict[str, Level]:
    try:
        return {skill: Level(level) for skill, level in _rows(form)}
    except ValueError:
        raise InvalidInput({"targets": "Choose a level for each skill."}) from None


def _show_role(
    page: UserPageContext, role: JobRole | None, form: Form, status: int = 200
) -> Response:
    rows = _rows(form)
    rows += [("", Level.INTERMEDIATE.value)] * min(_EMPTY_ROWS, max(0, MAX_TARGETS - len(rows)))
    return page.render(
        "role_form",
        status,
        role=role,
        form=form,
        rows=rows,
        levels=LEVELS,
        most=MAX_TARGETS,
        skill_names=[each.name for each in page.service.catalog.list_names()],
    )
