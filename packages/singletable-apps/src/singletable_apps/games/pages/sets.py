"""Question sets: the list, a set with its questions, its details, versions and files."""

from __future__ import annotations

import re
from dataclasses import replace

from fastapi import APIRouter, Response
from pydantic import BaseModel

from singletable_apps.games.errors import InvalidInput, NotFound
from singletable_apps.games.formats import FORMATS, SetFormat
from singletable_apps.games.pages.dependencies import AnyPage, PageContext, Segment
from singletable_apps.games.questions import (
    DEFAULT_INSTRUCTION,
    ENGAGEMENT_NAMES,
    MAX_CATEGORIES,
    Category,
    EngagementType,
    SetDraft,
    Visibility,
)
from singletable_apps.games.service.sets import ADMIN, KEPT_VERSIONS, owns
from singletable_apps.games.set_library import download_set, load_templates
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    Flash,
    Form,
    PostedForm,
    RevisionConflict,
    confirm,
)
from singletable_apps.shared.web import FOREVER, public_response

router = APIRouter()
_ABOUT = {
    EngagementType.TRIVIA: "Questions with correct answers, for points.",
    EngagementType.CALL_AND_ANSWER: "Everybody answers, then ranks the others.",
    EngagementType.POLL: "Opinions, counted live.",
    EngagementType.SURVEY: "Everybody answers at their own pace.",
    EngagementType.MIXED: "All of these, one after the other.",
}
TYPES = tuple((kind, name, _ABOUT[kind]) for kind, name in ENGAGEMENT_NAMES.items())
VISIBILITIES = (
    (Visibility.PRIVATE, "Private", "Only you can see and play it."),
    (Visibility.LINK, "With the link", "Everybody with the link can see, play and copy it."),
    (Visibility.SHARED, "Shared", "It is listed for every host of this site."),
)


def actor_of(page: PageContext) -> str:
    """Return the editor of sets: the host of this browser, or the administrator."""
    return ADMIN if page.is_admin else page.host_id


@router.get("/sets")
def list_sets(page: AnyPage) -> Response:
    """Show the own sets, those that others share, and templates."""
    sets, host_id = page.service.sets, page.host_id
    own = sets.list_own(host_id) if host_id else []
    shared = [each for each in sets.list_shared() if each.created_by != host_id]
    return page.render(
        "sets", own=own, shared=shared, templates=load_templates(), type_names=ENGAGEMENT_NAMES
    )


class NewSetForm(BaseModel):
    """The name and type of a new set."""

    name: str
    type: EngagementType


@router.api_route("/sets/new", methods=FORM_METHODS)
def create_set(page: AnyPage, form: PostedForm) -> Response:
    """Create an empty set."""

    def create(values: NewSetForm) -> Response:
        is_lessons = values.type is EngagementType.CALL_AND_ANSWER
        asked = DEFAULT_INSTRUCTION if is_lessons else ""
        draft = SetDraft(values.name, type=values.type, instruction=asked)
        item = page.service.sets.create(page.become_host(), draft)
        return page.redirect(page.urls.question_set(item.set_id), f"Created “{item.name}”.")

    def show(shown: Form, status: int) -> Response:
        return page.render("set_new", status, form=shown, types=TYPES)

    return page.fill(form, Form({"type": EngagementType.TRIVIA}), NewSetForm, create, show)


@router.post("/sets/templates/{name}")
def use_template(page: AnyPage, name: Segment) -> Response:
    """Create a set from a template."""
    if name not in load_templates():
        raise NotFound("There is no such template.")
    item = page.service.sets.copy(page.become_host(), load_templates()[name])
    text = f"Created “{item.name}”. Change the questions as you like."
    return page.redirect(page.urls.question_set(item.set_id), text)


@router.get("/sets/{set_id}")
def show_set(page: AnyPage, set_id: Segment) -> Response:
    """Show a set with its questions, and how to change them if it is the visitor's own."""
    loaded = page.service.sets.load(set_id, actor_of(page))
    return page.render(
        "set",
        item=loaded.item,
        draft=loaded.draft,
        is_own=owns(actor_of(page), loaded.item),
        type_names=ENGAGEMENT_NAMES,
        visibilities={value: text for value, text, _ in VISIBILITIES},
    )


class DetailsForm(BaseModel):
    """The fields of a set, without its questions and categories."""

    name: str
    type: EngagementType
    description: str = ""
    instruction: str = ""
    ai_instruction: str = ""
    visibility: Visibility
    is_active: bool = False


@router.api_route("/sets/{set_id}/edit", methods=FORM_METHODS)
def edit_set(page: AnyPage, set_id: Segment, form: PostedForm) -> Response:
    """Edit the details of a set, and rename and reorder its categories."""
    actor = actor_of(page)
    loaded = page.service.sets.load_own(set_id, actor)
    initial = Form.of(DetailsForm, loaded.draft, revision=loaded.item.revision)
    categories = dict[str, str]()
    for number, each in enumerate(loaded.draft.categories):
        categories |= {f"category-{number}": each.name, f"about-{number}": each.description}
        categories[f"place-{number}"] = str(number + 1)

    def save(values: DetailsForm) -> Response:
        page.service.sets.change(
            actor,
            set_id,
            lambda old: replace(_edit_categories(old, form), **values.model_dump()),
            form.revision_check(),
        )
        return page.redirect(page.urls.question_set(set_id), "Saved.")

    def show(shown: Form, status: int) -> Response:
        return page.render(
            "set_edit",
            status,
            form=shown,
            item=loaded.item,
            rows=min(len(loaded.draft.categories) + 1, MAX_CATEGORIES),
            types=TYPES,
            visibilities=VISIBILITIES,
        )

    first = replace(initial, values={**initial.values, **categories})
    return page.fill(form, first, DetailsForm, save, show)


def _edit_categories(old: SetDraft, form: Form) -> SetDraft:
    """Rename, describe, reorder and add categories as the fields of the form say."""
    renamed: dict[str, str] = {}
    placed: list[tuple[float, Category]] = []
    for number in range(MAX_CATEGORIES):
        before = old.categories[number].name if number < len(old.categories) else ""
        name = form.value(f"category-{number}").strip() or before
        if not name:
            continue
        renamed[before] = name
        place = form.value(f"place-{number}")
        order = int(place) if re.fullmatch(r"[0-9]{1,3}", place) else number + 1
        placed.append((order, Category(name, form.value(f"about-{number}"))))
    renamed.pop("", None)
    used = {renamed.get(each.category, each.category) for each in old.questions}
    placed.sort(key=lambda pair: pair[0])
    kept = [each for place, each in placed if place > 0 or each.name in used]
    questions = tuple(
        replace(each, category=renamed.get(each.category, each.category)) for each in old.questions
    )
    return replace(old, categories=tuple(kept), questions=questions)


@router.post("/sets/{set_id}/sharing")
def activate_set(page: AnyPage, set_id: Segment, form: PostedForm) -> Response:
    """Activate or deactivate a set."""
    page.service.sets.toggle(actor_of(page), set_id, form.value("is_active") == "true")
    return page.redirect(page.urls.question_set(set_id), "Saved.")


@router.post("/sets/{set_id}/copy")
def copy_set(page: AnyPage, set_id: Segment) -> Response:
    """Copy a set to the own ones."""
    loaded = page.service.sets.load(set_id, actor_of(page))
    item = page.service.sets.copy(page.become_host(), loaded.draft)
    return page.redirect(page.urls.question_set(item.set_id), f"Copied as “{item.name}”.")


@confirm(router, "/sets/{set_id}/delete")
def delete_set(page: AnyPage, set_id: Segment) -> ConfirmedAction:
    """Delete a set."""
    item = page.service.sets.get_own(set_id, actor_of(page))
    return ConfirmedAction(
        page,
        title=f"Delete “{item.name}”?",
        text="The set and all its versions are deleted. You can’t undo this.",
        consequences=("Games that play it keep their questions.",),
        button="Delete the set",
        back=page.urls.question_set(set_id),
        revision=item.revision,
        do=lambda form: page.service.sets.delete(actor_of(page), set_id, form.revision_check()),
        to=page.urls.page("sets"),
        done=f"Deleted “{item.name}”.",
    )


# ------------------------------------------------------------------------------ versions


@router.get("/sets/{set_id}/versions")
def list_versions(page: AnyPage, set_id: Segment) -> Response:
    """Show the versions of a set."""
    item, versions = page.service.sets.list_versions(set_id, actor_of(page))
    return page.render("set_versions", item=item, versions=versions, kept=KEPT_VERSIONS)


@router.post("/sets/{set_id}/versions/{number}")
def restore_version(page: AnyPage, set_id: Segment, number: int, form: PostedForm) -> Response:
    """Make an old version the current one."""
    url = page.urls.question_set(set_id)
    try:
        page.service.sets.restore(actor_of(page), set_id, number, form.revision_check())
    except RevisionConflict:
        return page.redirect(f"{url}/versions", CONFLICT)
    except InvalidInput as error:
        # Another set may have the old name now.
        return page.redirect(f"{url}/versions", Flash(str(error), "danger"))
    return page.redirect(url, f"Version {number} is the current one again.")


CONFLICT = Flash("Someone else has changed this set. Here is what it is now.", "warning")


# ------------------------------------------------------------------------------ files


@router.get("/sets/{set_id}/export")
def show_export(page: AnyPage, set_id: Segment) -> Response:
    """Show the formats, and how many of the questions fit each."""
    loaded = page.service.sets.load(set_id, actor_of(page))
    fitting = {kind: sum(map(info.fits, loaded.draft.questions)) for kind, info in FORMATS.items()}
    return page.render("set_export", item=loaded.item, formats=FORMATS, fitting=fitting)


@router.get("/sets/{set_id}/export/{kind}")
def export_set(page: AnyPage, set_id: Segment, kind: SetFormat) -> Response:
    """Download a set."""
    loaded = page.service.sets.load(set_id, actor_of(page))
    return download_set(loaded.draft, kind)


@router.get("/images/{name}/{width}.webp")
def read_image(page: AnyPage, name: Segment, width: str) -> Response:
    """Return an image. Its name changes with its content, so it can be cached forever."""
    number = int(width) if re.fullmatch("[1-9][0-9]{0,3}", width) else 0
    body = page.service.images.open(name, number)
    return public_response(page.request, body, "image/webp", caching=FOREVER)
