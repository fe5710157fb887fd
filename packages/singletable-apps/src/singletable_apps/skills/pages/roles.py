"""Jobs and the levels they need: the list, a job, and the forms of managers."""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import FORM_METHODS, ConfirmedAction, Form, PostedForm, confirm
from singletable_apps.skills.entities import JobRole, Level
from singletable_apps.skills.pages.dependencies import (
    ManagerPage,
    Segment,
    UserPage,
    UserPageContext,
)
from singletable_apps.skills.rules import LEVELS, PERMISSIONS, RANKS, Permission
from singletable_apps.skills.service.roles import MAX_TARGETS, RoleEdit

router = APIRouter()
_EMPTY_ROWS = 5


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
        known = Form.of(RoleForm, before, revision=before.revision)
        initial = Form({**known.values, **rows})
    return page.fill(form, initial, RoleForm, act, partial(_show_form, page, before))


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


def _show_form(
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
