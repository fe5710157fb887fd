"""Question sets in the API: the operations of the original app, and sets as resources.

The original's have its names and camel case. `/sets` has whole sets in the JSON format of files,
with ETags.
"""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Depends, Query, Response
from pydantic import Field

from singletable_apps.games.api.dependencies import EXISTS, SEATED, AnyActor, CurrentActor, Service
from singletable_apps.games.api.schemas import Body
from singletable_apps.games.entities import QuestionSet, SetCategory
from singletable_apps.games.errors import InvalidInput, NotPermitted
from singletable_apps.games.formats import FORMATS, FileProblem, SetFormat, json_schema, read_set
from singletable_apps.games.formats.document import QuestionDocument, SetDocument
from singletable_apps.games.questions import EngagementType, Visibility
from singletable_apps.games.service.sets import ADMIN
from singletable_apps.games.set_library import download_set, example_set
from singletable_apps.shared.frame import limited
from singletable_apps.shared.web import (
    PUBLIC,
    IfMatch,
    IfMatchIfAny,
    IfNoneMatch,
    Segment,
    api_router,
    etag,
    responses,
)

router = api_router("question sets", *SEATED)


async def _set_actor(actor: CurrentActor) -> str:
    if not actor.is_admin and not actor.host_id:
        raise NotPermitted("Use the token of a host.")
    return ADMIN if actor.is_admin else actor.host_id


# The id of a host, or ADMIN.
SetActor: TypeAlias = Annotated[str, Depends(_set_actor)]


async def _any_set_actor(actor: AnyActor) -> str:
    return ADMIN if actor.is_admin else actor.host_id


AnySetActor: TypeAlias = Annotated[str, Depends(_any_set_actor)]


# ------------------------------------------------------------------------------ the original's


class SetSummary(
    Body,
    of=QuestionSet,
    only="set_id name description engagement_type total_questions categories custom_instructions "
    "is_active visibility updated_at",
    rename={"type": "engagement_type", "instruction": "custom_instructions"},
):
    """A question set without its questions."""


@router.get("/question-sets", openapi_extra=PUBLIC)
def list_question_sets(service: Service, actor: AnySetActor) -> list[SetSummary]:
    """List the active sets that the caller can play, with their categories."""
    found = service.sets.list_playable(actor) if actor else service.sets.list_shared()
    return [SetSummary.from_object(each) for each in found]


class CategorySummary(
    Body,
    of=SetCategory,
    only="category_id name description question_count order_index",
    rename={"order": "order_index"},
):
    """A category of a set."""


@router.get("/question-sets/{set_id}/categories", openapi_extra=PUBLIC)
def list_categories(service: Service, actor: AnySetActor, set_id: Segment) -> list[CategorySummary]:
    """List the categories of a set, with the number of their questions."""
    found = service.sets.list_categories(service.sets.get(set_id, actor))
    return [CategorySummary.from_object(each) for each in found]


@router.get("/questions")
def list_questions(
    service: Service,
    actor: SetActor,
    set_id: Annotated[str, Query(alias="setId", max_length=40)],
    categories: Annotated[
        str, Query(description="Only these, separated by commas.", max_length=4_000)
    ] = "",
) -> list[QuestionDocument]:
    """List the questions of a set. During a game, the server chooses the next one by itself."""
    wanted = {each.strip() for each in categories.split(",") if each.strip()}
    questions = service.sets.load(set_id, actor).draft.questions
    return [
        QuestionDocument.of(each) for each in questions if not wanted or each.category in wanted
    ]


class UploadBody(Body):
    """A file of questions for a new set; CSV, JSON and GIFT as text, XLSX in Base64.

    The other fields replace what the file says.
    """

    file_name: str = Field(max_length=300)
    file_content: str
    encoding: Literal["text", "base64"] = "text"
    name: str = Field("", alias="customTitle")
    description: str = Field("", alias="customDescription")
    instruction: str = Field("", alias="customInstructions")
    ai_instruction: str = Field("", alias="aiContextInstructions")
    type: EngagementType | None = Field(None, alias="engagementType")


class UploadResult(Body):
    """The set that was created, and the rows of the file that were left out."""

    set_id: str
    name: str
    format: SetFormat
    question_count: int
    errors: list[FileProblem]


@router.post(
    "/admin/upload-questions",
    status_code=201,
    dependencies=limited("upload"),
    responses=responses(EXISTS),
)
def upload_questions(service: Service, actor: SetActor, body: UploadBody) -> UploadResult:
    """Create a set from a file in any of the formats. Rows that are not valid are left out."""
    is_text = body.encoding == "text"
    try:
        content = body.file_content.encode()
        data = content if is_text else base64.b64decode(content, validate=True)
        read = read_set(data, body.file_name)
    except ValueError as error:
        raise InvalidInput({"fileContent": "This is not Base64."}) from error
    except InvalidInput as error:
        raise InvalidInput({"fileContent": str(error)}) from error
    if not read.draft.questions:
        problems = [f"Row {each.row}, {each.column}: {each.text}" for each in read.errors[:1]]
        raise InvalidInput({"fileContent": " ".join(["No question is valid.", *problems])})
    sent = body.model_dump(exclude={"file_name", "file_content", "encoding"})
    draft = replace(read.draft, **{name: value for name, value in sent.items() if value})
    item = service.sets.create(actor, draft, body.file_name)
    return UploadResult(
        set_id=item.set_id,
        name=item.name,
        format=read.format,
        question_count=item.total_questions,
        errors=list(read.errors),
    )


_FILE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {info.media_type: {} for info in FORMATS.values()}}
}


@router.get(
    "/admin/download-template", openapi_extra=PUBLIC, response_class=Response, responses=_FILE
)
def download_template(format: SetFormat = SetFormat.LESSONS) -> Response:  # noqa: A002
    """Download an example of a file in one of the formats."""
    return download_set(example_set(format), format)


@router.get("/sets", operation_id="list_sets")
@router.get("/admin/question-sets")
def list_own_sets(service: Service, actor: SetActor) -> list[SetSummary]:
    """List the sets of the caller, also inactive ones; all sets for the administrator."""
    found = service.sets.list_all(actor, 1_000).items
    return [SetSummary.from_object(each) for each in found if not each.is_deleting]


class ToggleBody(Body):
    """Whether a set is active."""

    active: bool


@router.post("/admin/toggle-question-set/{set_id}")
def toggle_question_set(
    service: Service, actor: SetActor, set_id: Segment, body: ToggleBody
) -> SetSummary:
    """Activate or deactivate a set. Only active ones can be chosen for a game."""
    return SetSummary.from_object(service.sets.toggle(actor, set_id, is_active=body.active))


class EditBody(Body):
    """The fields of a set to change; those that are left out stay."""

    name: str | None = None
    description: str | None = None
    instruction: str | None = Field(None, alias="customInstruction")
    ai_instruction: str | None = Field(None, alias="aiContextInstruction")


@router.post("/admin/edit-question-set/{set_id}", responses=responses(EXISTS))
def edit_question_set(
    service: Service, actor: SetActor, set_id: Segment, body: EditBody, edit: IfMatchIfAny
) -> SetSummary:
    """Change the name, description or instructions of a set."""
    sent = body.model_dump(exclude_none=True)
    item = service.sets.change(actor, set_id, lambda old: replace(old, **sent), edit.check)
    edit.answer(item.revision)
    return SetSummary.from_object(item)


@router.post("/admin/delete-question-set/{set_id}", status_code=204)
def delete_question_set(service: Service, actor: SetActor, set_id: Segment) -> None:
    """Delete a set with all its versions."""
    service.sets.delete(actor, set_id)


# ------------------------------------------------------------------------------ resources


class SetBody(SetDocument):
    """A whole set as a client sends it."""

    visibility: Visibility = Visibility.PRIVATE
    is_active: bool = True


class StoredSet(SetBody):
    """A whole set with its id and its number of versions."""

    set_id: str
    set_version: int
    revision: int


def _load(service: Service, actor: str, set_id: str) -> StoredSet:
    item, draft = service.sets.load(set_id, actor)
    stored = {name: getattr(item, name) for name in ("set_id", "set_version", "revision")}
    return StoredSet.of(draft, **stored)


@router.post("/sets", status_code=201, dependencies=limited("create"), responses=responses(EXISTS))
def create_set(service: Service, actor: SetActor, body: SetBody, response: Response) -> StoredSet:
    """Create a set with its questions."""
    item = service.sets.create(actor, body.to_draft())
    response.headers["ETag"] = etag(item.revision)
    response.headers["Location"] = service.context.urls.api("sets", item.set_id)
    return _load(service, actor, item.set_id)


@router.get("/set-schema.json", openapi_extra=PUBLIC)
def read_schema() -> dict[str, Any]:
    """Return the JSON Schema of files with question sets."""
    return json_schema()


@router.get("/sets/{set_id}")
def read_set_document(
    service: Service, actor: SetActor, set_id: Segment, look: IfNoneMatch
) -> StoredSet:
    """Return a set with its questions."""
    stored = _load(service, actor, set_id)
    look.answer(stored.revision)
    return stored


@router.put("/sets/{set_id}", responses=responses(EXISTS))
def replace_set(
    service: Service, actor: SetActor, set_id: Segment, body: SetBody, edit: IfMatch
) -> StoredSet:
    """Save a whole set as its next version. Running games keep theirs."""
    item = service.sets.save(actor, set_id, body.to_draft(), edit.check)
    edit.answer(item.revision)
    return _load(service, actor, set_id)


@router.delete("/sets/{set_id}", status_code=204)
def delete_set(service: Service, actor: SetActor, set_id: Segment, edit: IfMatch) -> None:
    """Delete a set with all its versions."""
    service.sets.delete(actor, set_id, edit.check)


@router.get("/sets/{set_id}/export", response_class=Response, responses=_FILE)
def export_set(
    service: Service,
    actor: SetActor,
    set_id: Segment,
    format: SetFormat = SetFormat.JSON,  # noqa: A002
) -> Response:
    """Download a set in one of the formats, without questions that it cannot contain."""
    return download_set(service.sets.load(set_id, actor).draft, format)
