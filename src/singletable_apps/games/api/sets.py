"""Question sets in the API: the operations of the original app, and sets as resources.

The original's have its names and camel case. `/sets` has whole sets in the JSON format of files,
with ETags.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import Depends, Query, Response
from pydantic import AliasGenerator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from singletable_apps.games.api.dependencies import (
    EXISTS,
    PUBLIC,
    SEATED,
    AnyActor,
    CurrentActor,
    Service,
    limited,
)
from singletable_apps.games.entities import QuestionSet
from singletable_apps.games.errors import InvalidInput, NotPermitted
from singletable_apps.games.formats import FORMATS, SetFormat, json_schema, read_set
from singletable_apps.games.formats.document import (
    QuestionDocument,
    SetDocument,
    to_document,
    to_draft,
)
from singletable_apps.games.questions import (
    EngagementType,
    Question,
    SetDraft,
    Visibility,
)
from singletable_apps.games.service.sets import ADMIN, LoadedSet
from singletable_apps.games.set_library import download_set, example_set
from singletable_apps.shared.web import (
    IfMatch,
    IfMatchIfAny,
    IfNoneMatch,
    Model,
    Segment,
    Timestamp,
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


class CamelModel(Model):
    """A JSON object with names in camel case."""

    model_config = ConfigDict(
        alias_generator=AliasGenerator(alias=to_camel),
        validate_by_name=True,
        validate_by_alias=True,
    )


class SetSummary(CamelModel):
    """A question set without its questions."""

    set_id: str
    name: str
    description: str
    engagement_type: EngagementType
    total_questions: int
    categories: list[str]
    custom_instructions: str
    is_active: bool
    visibility: Visibility
    updated_at: Timestamp

    @classmethod
    def of(cls, item: QuestionSet) -> SetSummary:
        """Return the summary of a set."""
        return cls.from_object(
            item, engagement_type=item.type, custom_instructions=item.instruction
        )


@router.get("/question-sets", openapi_extra=PUBLIC)
def list_question_sets(service: Service, actor: AnySetActor) -> list[SetSummary]:
    """List the active sets that the caller can play, with their categories."""
    found = service.sets.list_playable(actor) if actor else service.sets.list_shared()
    return [SetSummary.of(each) for each in found]


class CategorySummary(CamelModel):
    """A category of a set."""

    category_id: str
    name: str
    description: str
    question_count: int
    order_index: int


@router.get("/question-sets/{set_id}/categories", openapi_extra=PUBLIC)
def list_categories(service: Service, actor: AnySetActor, set_id: Segment) -> list[CategorySummary]:
    """List the categories of a set, with the number of their questions."""
    item = service.sets.get(set_id, actor)
    return [
        CategorySummary.from_object(each, order_index=each.order)
        for each in service.sets.list_categories(item)
    ]


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


class UploadBody(CamelModel):
    """A file of questions for a new set; CSV, JSON, GIFT and Aiken as text, XLSX in Base64."""

    file_name: str = Field(max_length=300)
    file_content: str
    encoding: Literal["text", "base64"] = "text"
    custom_title: str = ""
    custom_description: str = ""
    custom_instructions: str = ""
    ai_context_instructions: str = ""
    engagement_type: EngagementType | None = None


class ProblemBody(CamelModel):
    """A row of a file that was left out, and why."""

    row: int
    column: str
    text: str


class UploadResult(CamelModel):
    """The set that was created, and what was left out."""

    set_id: str
    name: str
    format: SetFormat
    question_count: int
    errors: list[ProblemBody]


@router.post(
    "/admin/upload-questions",
    status_code=201,
    dependencies=limited("upload"),
    responses=responses(EXISTS),
)
def upload_questions(service: Service, actor: SetActor, body: UploadBody) -> UploadResult:
    """Create a set from a file in any of the formats. Rows that are not valid are left out."""
    try:
        data = (
            base64.b64decode(body.file_content, validate=True)
            if body.encoding == "base64"
            else body.file_content.encode()
        )
    except (binascii.Error, ValueError) as error:
        raise InvalidInput({"fileContent": "This is not Base64."}) from error
    try:
        read = read_set(data, body.file_name)
    except InvalidInput as error:
        raise InvalidInput({"fileContent": str(error)}) from error
    if not read.draft.questions:
        raise InvalidInput({"fileContent": _first_problem(read.errors)})
    draft = replace(
        read.draft,
        name=body.custom_title or read.draft.name,
        description=body.custom_description or read.draft.description,
        instruction=body.custom_instructions or read.draft.instruction,
        ai_instruction=body.ai_context_instructions or read.draft.ai_instruction,
        type=body.engagement_type or read.draft.type,
    )
    item = service.sets.create(actor, draft, body.file_name)
    return UploadResult(
        set_id=item.set_id,
        name=item.name,
        format=read.format,
        question_count=item.total_questions,
        errors=[
            ProblemBody(row=row, column=column, text=text) for row, column, text in read.errors
        ],
    )


def _first_problem(errors: Any) -> str:
    if not errors:
        return "The file has no questions."
    row, column, text = errors[0]
    return f"No question is valid. Row {row}{f', {column}' if column else ''}: {text}"


_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The file.",
        "content": {info.media_type.partition(";")[0]: {} for info in FORMATS.values()},
    }
}


@router.get(
    "/admin/download-template",
    openapi_extra=PUBLIC,
    response_class=Response,
    responses=_FILE,
)
def download_template(format: SetFormat = SetFormat.LESSONS) -> Response:  # noqa: A002
    """Download an example of a file in one of the formats."""
    return download_set(example_set(format), format)


@router.get("/admin/question-sets")
def list_all_question_sets(service: Service, actor: SetActor) -> list[SetSummary]:
    """List all sets, for the administrator; for a host, the own ones. Inactive ones, too."""
    found = list(service.sets.list_all(actor, 1_000).items)
    return [SetSummary.of(each) for each in found if not each.is_deleting]


class ToggleBody(CamelModel):
    """Whether a set is active."""

    active: bool


@router.post("/admin/toggle-question-set/{set_id}")
def toggle_question_set(
    service: Service, actor: SetActor, set_id: Segment, body: ToggleBody
) -> SetSummary:
    """Activate a set, or not. Only active ones can be chosen for a game."""
    return SetSummary.of(service.sets.toggle(actor, set_id, is_active=body.active))


class EditBody(CamelModel):
    """The fields of a set to change; those that are left out stay."""

    name: str | None = None
    description: str | None = None
    custom_instruction: str | None = None
    ai_context_instruction: str | None = None


@router.post("/admin/edit-question-set/{set_id}", responses=responses(EXISTS))
def edit_question_set(
    service: Service, actor: SetActor, set_id: Segment, body: EditBody, edit: IfMatchIfAny
) -> SetSummary:
    """Change the name, description or instructions of a set."""

    def change(old: SetDraft) -> SetDraft:
        sent: dict[str, Any] = {
            "name": body.name,
            "description": body.description,
            "instruction": body.custom_instruction,
            "ai_instruction": body.ai_context_instruction,
        }
        return replace(old, **{name: text for name, text in sent.items() if text is not None})

    item = service.sets.change(actor, set_id, change, edit.check)
    edit.answer(item.revision)
    return SetSummary.of(item)


@router.post("/admin/delete-question-set/{set_id}", status_code=204)
def delete_question_set(service: Service, actor: SetActor, set_id: Segment) -> None:
    """Delete a set with all its versions."""
    service.sets.delete(actor, set_id)


# ------------------------------------------------------------------------------ resources


class SetBody(SetDocument):
    """A whole set as a client sends it."""

    visibility: Visibility = Visibility.PRIVATE
    is_active: bool = True

    def to_draft(self) -> SetDraft:
        """Return the set, or raise InvalidInput with errors like `questions/3/correct`."""
        questions: list[Question] = []
        errors: dict[str, str] = {}
        for number, each in enumerate(self.questions):
            try:
                questions.append(each.to_question())
            except InvalidInput as error:
                named = {f"questions/{number}/{name}": text for name, text in error.errors.items()}
                errors |= named
        if errors:
            raise InvalidInput(errors)
        draft = to_draft(self, tuple(questions))
        return replace(draft, visibility=self.visibility, is_active=self.is_active)


class StoredSet(SetBody):
    """A whole set with its id and its number of versions."""

    set_id: str
    set_version: int
    revision: int

    @classmethod
    def of(cls, loaded: LoadedSet) -> StoredSet:
        """Return the document of a set."""
        item = loaded.item
        return cls(
            **dict(to_document(loaded.draft)),
            visibility=item.visibility,
            is_active=item.is_active,
            set_id=item.set_id,
            set_version=item.set_version,
            revision=item.revision,
        )


@router.get("/sets")
def list_sets(service: Service, actor: SetActor) -> list[SetSummary]:
    """List the own sets, by name."""
    return [SetSummary.of(each) for each in service.sets.list_own(actor)]


@router.post("/sets", status_code=201, dependencies=limited("create"), responses=responses(EXISTS))
def create_set(service: Service, actor: SetActor, body: SetBody, response: Response) -> StoredSet:
    """Create a set with its questions."""
    item = service.sets.create(actor, body.to_draft())
    response.headers["ETag"] = etag(item.revision)
    response.headers["Location"] = service.context.urls.api("sets", item.set_id)
    return StoredSet.of(service.sets.load(item.set_id, actor))


@router.get("/set-schema.json", openapi_extra=PUBLIC)
def read_schema() -> dict[str, Any]:
    """Return the JSON Schema of files with question sets."""
    return json_schema()


@router.get("/sets/{set_id}")
def read_set_document(
    service: Service, actor: SetActor, set_id: Segment, look: IfNoneMatch
) -> StoredSet:
    """Return a set with its questions."""
    loaded = service.sets.load(set_id, actor)
    look.answer(loaded.item.revision)
    return StoredSet.of(loaded)


@router.put("/sets/{set_id}", responses=responses(EXISTS))
def replace_set(
    service: Service, actor: SetActor, set_id: Segment, body: SetBody, edit: IfMatch
) -> StoredSet:
    """Save a whole set as its next version. Running games keep theirs."""
    item = service.sets.save(actor, set_id, body.to_draft(), edit.check)
    edit.answer(item.revision)
    return StoredSet.of(service.sets.load(set_id, actor))


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
